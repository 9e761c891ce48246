"""A desktop: the X server, the buses, the window manager and the programs, brought up one after the other."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from worldtape.collectors.desktop.inside.bus import Bus
from worldtape.collectors.desktop.inside.display import Display
from worldtape.collectors.desktop.inside.loop import turn, wait
from worldtape.collectors.desktop.inside.processes import Processes, name_of, opens_windows, pids
from worldtape.collectors.desktop.inside.walk import alive

_PING_S = 2.0
_SLOW = 4
"""Where programs are slow to answer, so many times that long must be quiet."""
_YOUNG_S = 10.0
_SETTINGS = """[Settings]
gtk-cursor-blink=0
gtk-enable-animations=0
gtk-menu-popup-delay=0
gtk-double-click-time=150
gtk-recent-files-enabled=0
gtk-theme-name=Adwaita
gtk-icon-theme-name=Adwaita
"""


class StartError(Exception):
    """What is needed does not come up."""


class Session:
    """One desktop. Its address and its buses stand in the environment, for the programs and the actions.

    Attributes:
        mute: whether a program did not answer when it was last waited for.
        programs: pid to name of everything with windows that was seen, to tell how it ended.
    """

    def __init__(self, size: tuple[int, int], start_s: float) -> None:
        self._deadline = time.monotonic() + start_s
        self.processes = Processes()
        self.programs: dict[int, str] = {}
        self._since: dict[int, float] = {}
        self.mute = False
        _settings()
        os.environ["DISPLAY"] = f":{self._tells('Xvfb', *_screen(size))}"
        self.server = self._newest
        self.display = Display(os.environ["DISPLAY"])
        address = self._tells("dbus-daemon", "--session", "--nofork", "--print-address={}")
        os.environ["DBUS_SESSION_BUS_ADDRESS"] = address
        self.bus = Bus(address)
        self.processes.start(["openbox", "--sm-disable", "--startup", "xdotool set_num_desktops 1"])
        self._needs("openbox", self.display.managed)
        self._since = dict.fromkeys(pids(), -_YOUNG_S)

    def _tells(self, name: str, *words: str) -> str:
        """Start a server and return the line that it writes to a pipe (`{}` in its words) once it is ready."""
        ours, theirs = os.pipe()
        self._newest = self.processes.start([name, *(word.format(theirs) for word in words)], keep=[theirs])
        os.close(theirs)
        with os.fdopen(ours) as pipe:
            line = pipe.readline().strip()
        if not line:
            raise StartError(f"{name} does not start")
        return line

    def _needs(self, name: str, done: Any) -> None:
        def settled() -> bool:
            while not done():  # looking may have read the very event that is waited for: the loop never hears of it
                before = self.display.events
                self.display.pump()
                if self.display.events == before:
                    return False
            return True

        if not wait(settled, self._deadline):
            raise StartError(f"{name} does not come up in time")

    def start(self, command: str) -> None:
        """Start a program and wait for its first window.

        Raises:
            StartError: there is no such program, it ended, or opened no window in time.
        """
        words = shlex.split(command)
        before = {one["id"] for one in self.display.windows()}
        try:
            pid = self.processes.start(words, cwd=str(Path.home()))
        except OSError as error:
            raise StartError(f"{words[0]} does not start: {error.strerror}") from error

        def opened() -> bool:
            code = self.processes.exit_of(pid)
            if code:
                raise StartError(f"{words[0]} ended with {code} before it opened a window")
            return any(one["id"] not in before for one in self.display.windows())

        self._needs(words[0], opened)

    def settle(self, quiet_s: float, deadline: float, since: int) -> str:
        """Wait until every program has answered and nothing was drawn or told for `quiet_s`.

        Args:
            quiet_s: seconds.
            deadline: the moment (monotonic s) at which it gives up.
            since: what `count` was before the action.

        Returns:
            `event` where something came and has ended, `rest` where nothing came, `deadline` where it did not end.

        Raises:
            GoneError: the X server has died.
        """
        begun = time.monotonic()
        while True:
            self.display.sync()
            sent = time.monotonic()
            self.mute = not alive(self.bus, min(deadline, time.monotonic() + _PING_S))
            asked = time.monotonic()
            quiet_s = max(quiet_s, min(_PING_S, _SLOW * (asked - sent)))
            while (now := time.monotonic()) < deadline:
                until = max(self.display.last, self.bus.last, begun) + quiet_s
                starting = self.starting()
                if now >= until and not starting:
                    break
                turn(min(deadline, until if not starting else now + quiet_s))
                self.display.sync()
            if time.monotonic() >= deadline:
                return "deadline"
            if max(self.display.last, self.bus.last) <= asked:
                return "event" if self.count != since else "rest"

    @property
    def count(self) -> int:
        """How many events have come."""
        return self.display.events + self.bus.events

    def starting(self) -> list[int]:
        """Return the programs that have loaded what windows need, are young, and have opened none."""
        now = time.monotonic()
        seen = pids()
        for pid in seen - self._since.keys():
            self._since[pid] = now
        for pid in self._since.keys() - seen:
            del self._since[pid]
        young = [pid for pid in seen - self.programs.keys() if now - self._since[pid] < _YOUNG_S]
        if not young:
            return []
        self.note(self.display.windows())
        return [pid for pid in young if pid not in self.programs and pid != os.getpid() and opens_windows(pid)]

    def note(self, windows: Sequence[Mapping[str, Any]]) -> None:
        """Remember whose windows these are."""
        for window in windows:
            pid = window["pid"]
            if pid is not None and pid not in self.programs:
                self.programs[pid] = name_of(pid) or str(window["class"])

    def deaths(self) -> list[dict[str, Any]]:
        """Return the programs that have ended since this was asked: name, pid and exit code or, negative, signal."""
        found = []
        for pid, name in list(self.programs.items()):
            code = self.processes.exit_of(pid)
            if code is not None:
                del self.programs[pid]
                found.append({"program": name, "pid": pid, "code": code})
        return found


def _screen(size: tuple[int, int]) -> list[str]:
    width, height = size
    return ["-displayfd", "{}", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset", "-dpi", "96"]


def _settings() -> None:
    """Write what makes programs still: no blinking, no animations."""
    folder = Path.home() / ".config" / "gtk-3.0"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "settings.ini"
    if not path.exists():
        path.write_text(_SETTINGS)
    with suppress(OSError):
        subprocess.run(["xdg-user-dirs-update"], check=False, capture_output=True)
