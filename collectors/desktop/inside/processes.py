"""The processes of a desktop: started, ended, and told of however they were started."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from gi.repository import GLib

_PR_SET_CHILD_SUBREAPER = 36


class Processes:
    """Every process below this one; those whose own parent has died come to it.

    Attributes:
        ended: pid to wait status of each that has ended.
    """

    def __init__(self) -> None:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.ended: dict[int, int] = {}
        self._held: list[subprocess.Popen[bytes]] = []
        self._woken, wakes = os.pipe()
        for end in (self._woken, wakes):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        GLib.unix_fd_add_full(GLib.PRIORITY_HIGH, self._woken, GLib.IO_IN, self._reap)

    def start(self, argv: Sequence[str], *, cwd: str | None = None, keep: Sequence[int] = ()) -> int:
        """Start a program in a process group of its own, with nothing to read or write, and return its pid.

        Raises:
            OSError: it is not there.
        """
        null = subprocess.DEVNULL
        made = subprocess.Popen(
            argv, cwd=cwd, pass_fds=keep, stdin=null, stdout=null, stderr=null, start_new_session=True
        )
        return self.adopt(made)

    def adopt(self, made: subprocess.Popen[bytes]) -> int:
        """Take over a process: it is waited for here."""
        self._held.append(made)  # its destructor would wait for it
        return made.pid

    def _reap(self, *_: object) -> bool:
        with suppress(BlockingIOError):
            os.read(self._woken, 4096)
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                self.ended[found[0]] = found[1]
        return True

    def exit_of(self, pid: int) -> int | None:
        """Return the exit code or, negative, the signal that ended a process; None while it runs."""
        return os.waitstatus_to_exitcode(self.ended[pid]) if pid in self.ended else None


def pids() -> set[int]:
    """Return every process of the container."""
    return {int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()}


def opens_windows(pid: int) -> bool:
    """Whether a process has loaded what programs with windows load."""
    with suppress(OSError):
        return "/libX11.so" in Path(f"/proc/{pid}/maps").read_text(errors="replace")
    return False


def name_of(pid: int) -> str:
    """Return what a process is called; "" where it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
    return ""
