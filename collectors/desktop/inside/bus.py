"""The accessibility bus: calls that do not wait for each other, and the count of what it tells."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gi.repository import Gio, GLib

REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"
ACCESSIBLE = "org.a11y.atspi.Accessible"
_EVENTS = ("object:", "window:", "document:")
_ECHOES = {"accessible-name", "accessible-description"}
"""Programs tell these also when they are asked for them; where they do change, something is drawn."""
_BY_ADDRESS = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
_START_MS = 20_000

Answered = Callable[[tuple[Any, ...] | None], None]
"""Takes what a method returned; None: it failed, or whom it asked is gone."""


class Bus:
    """The accessibility bus of one desktop.

    Attributes:
        events: so many have come.
        last: the moment of the newest (monotonic s).
    """

    def __init__(self, session_address: str) -> None:
        session = Gio.DBusConnection.new_for_address_sync(session_address, _BY_ADDRESS, None, None)
        enabled = GLib.Variant("(ssv)", ("org.a11y.Status", "IsEnabled", GLib.Variant("b", True)))
        for method, given in (("org.freedesktop.DBus.Properties.Set", enabled), ("org.a11y.Bus.GetAddress", None)):
            interface, _, name = method.rpartition(".")
            answer = session.call_sync(
                "org.a11y.Bus", "/org/a11y/bus", interface, name, given, None, 0, _START_MS, None
            )
        self._session = session
        self._bus = Gio.DBusConnection.new_for_address_sync(answer.unpack()[0], _BY_ADDRESS, None, None)
        self.events = 0
        self.last = time.monotonic()
        self._listen()

    def _listen(self) -> None:
        for kind in ("Object", "Window", "Document"):
            interface = f"org.a11y.atspi.Event.{kind}"
            self._bus.signal_subscribe(None, interface, None, None, None, Gio.DBusSignalFlags.NONE, self._heard)
        for event in _EVENTS:
            given = GLib.Variant("(sass)", (event, [], ""))
            path = "/org/a11y/atspi/registry"
            self._bus.call_sync(REGISTRY, path, REGISTRY, "RegisterEvent", given, None, 0, _START_MS, None)

    def _heard(self, *told: Any) -> None:
        if told[4] == "PropertyChange" and told[5].get_child_value(0).get_string() in _ECHOES:
            return
        self.events += 1
        self.last = time.monotonic()

    def call(self, place: tuple[str, str], method: str, given: GLib.Variant | None, then: Answered) -> None:
        """Call `method` (with its interface) of the object at `place` (bus name, path); `then` is called later."""
        interface, _, name = method.rpartition(".")

        def done(bus: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
            try:
                answer = bus.call_finish(result).unpack()
            except GLib.Error:
                answer = None
            then(answer)

        self._bus.call(*place, interface, name, given, None, Gio.DBusCallFlags.NO_AUTO_START, -1, None, done)
