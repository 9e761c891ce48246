"""The X server: its windows, its events, its clipboard and its picture."""

from __future__ import annotations

import struct
import time
import zlib
from typing import Any

from gi.repository import GLib
from Xlib import X, Xatom
from Xlib.display import Display as Connection
from Xlib.error import ConnectionClosedError, XError
from Xlib.ext import damage

from worldtape.collectors.desktop.inside.loop import wait

_MOST = 1 << 20
_CLIPBOARD_S = 1.0
_GONE = (ConnectionClosedError, BrokenPipeError, ConnectionResetError)


class GoneError(Exception):
    """The X server has died."""


class Display:
    """A connection to the X server that hears of everything that is drawn, opened, closed and renamed.

    Attributes:
        events: so many have come.
        last: the moment of the newest (monotonic s).
        gone: whether the server has died.
    """

    def __init__(self, name: str) -> None:
        self._x = Connection(name)
        screen = self._x.screen()
        self.size = (screen.width_in_pixels, screen.height_in_pixels)
        self.root = screen.root
        self.root.change_attributes(event_mask=X.SubstructureNotifyMask | X.PropertyChangeMask)
        self._x.damage_query_version()
        self.root.damage_create(damage.DamageReportRawRectangles)
        self._window = self.root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        self.events = 0
        self.last = time.monotonic()
        self.gone = False
        self._selected: Any = None
        self._x.sync()
        GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self._x.fileno(), GLib.IO_IN | GLib.IO_HUP, self._ready)

    def _ready(self, *_: object) -> bool:
        self.pump()
        return not self.gone

    def pump(self) -> None:
        """Handle what has come."""
        try:
            while not self.gone and self._x.pending_events():
                self._event(self._x.next_event())
        except _GONE:
            self.gone = True

    def _event(self, event: Any) -> None:
        if event.type == X.SelectionNotify:
            self._selected = event
            return
        self.events += 1
        self.last = time.monotonic()

    def sync(self) -> None:
        """Wait until the server has worked off everything that was sent to it before.

        Raises:
            GoneError: it has died.
        """
        try:
            self._x.sync()
        except _GONE:
            self.gone = True
        self.pump()
        if self.gone:
            raise GoneError

    def _property(self, window: Any, name: str) -> Any:
        try:
            found = window.get_full_property(self._x.intern_atom(name), X.AnyPropertyType)
        except _GONE:
            self.gone = True
            raise GoneError from None
        except XError:
            return None
        return None if found is None else found.value

    def managed(self) -> bool:
        """Whether the window manager has done what it was told to do once it runs: to have one desktop.

        It tells that it is there before it is: a window that comes between is never shown.
        """
        desktops = self._property(self.root, "_NET_NUMBER_OF_DESKTOPS")
        return desktops is not None and list(desktops) == [1]

    def windows(self) -> list[dict[str, Any]]:
        """Return the windows of the window manager, lowest first.

        Raises:
            GoneError: the server has died.
        """
        active = self._property(self.root, "_NET_ACTIVE_WINDOW")
        found = []
        for at in self._property(self.root, "_NET_CLIENT_LIST_STACKING") or ():
            told = self._about(int(at), None if active is None or not len(active) else int(active[0]))
            if told is not None:
                found.append(told)
        return found

    def _about(self, at: int, active: int | None) -> dict[str, Any] | None:
        window = self._x.create_resource_object("window", at)
        try:
            size = window.get_geometry()
            place = window.translate_coords(self.root, 0, 0)
            kind = window.get_wm_class()
        except XError:
            return None
        states = {self._x.get_atom_name(state) for state in self._property(window, "_NET_WM_STATE") or ()}
        pid = self._property(window, "_NET_WM_PID")
        title = self._property(window, "_NET_WM_NAME") or self._property(window, "WM_NAME") or b""
        return {
            "id": at,
            "title": title.decode("utf-8", "replace") if isinstance(title, bytes) else str(title),
            "class": kind[1].lower() if kind else "",
            "box": [-place.x, -place.y, size.width, size.height],
            "active": at == active,
            "pid": None if pid is None or not len(pid) else int(pid[0]),
            "hidden": "_NET_WM_STATE_HIDDEN" in states,
            "modal": "_NET_WM_STATE_MODAL" in states,
        }

    def pointer(self) -> list[int]:
        """Return where the pointer is."""
        found = self.root.query_pointer()
        return [found.root_x, found.root_y]

    def clipboard(self) -> bytes | None:
        """Return the text of the clipboard; None where nobody has any, or does not hand it out within a second."""
        clipboard, text = self._x.intern_atom("CLIPBOARD"), self._x.intern_atom("UTF8_STRING")
        if self._x.get_selection_owner(clipboard) == X.NONE:
            return None
        self._selected = None
        self._window.convert_selection(clipboard, text, Xatom.PRIMARY, X.CurrentTime)
        self._x.flush()
        if not wait(self._handed_out, time.monotonic() + _CLIPBOARD_S) or self._selected.property == X.NONE:
            return None
        found = self._window.get_property(Xatom.PRIMARY, X.AnyPropertyType, 0, _MOST, True)
        return None if found is None or not isinstance(found.value, bytes) else found.value

    def _handed_out(self) -> bool:
        self.pump()
        return self._selected is not None or self.gone

    def picture(self) -> bytes:
        """Return what the screen shows, as PNG."""
        width, height = self.size
        raw = self.root.get_image(0, 0, width, height, X.ZPixmap, 0xFFFFFFFF).data
        rows = bytearray((1 + 3 * width) * height)
        plane = bytearray(3 * width * height)
        for channel in range(3):
            plane[channel::3] = raw[2 - channel :: 4]
        for row in range(height):
            start = row * (1 + 3 * width) + 1
            rows[start : start + 3 * width] = plane[3 * width * row : 3 * width * (row + 1)]
        head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        parts = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(rows), 1)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
