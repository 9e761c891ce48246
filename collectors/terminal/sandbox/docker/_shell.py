"""The interactive shell of a container: an exec that waits for a line, and becomes the shell on it."""

from __future__ import annotations

import os
import select
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from worldtape.collectors.terminal.sandbox._launch import become
from worldtape.collectors.terminal.sandbox._started import started
from worldtape.errors import ComponentError

START_S = 20.0
_WAITS = "read -r _; "
_BASH_OR_SH = "command -v bash >/dev/null && exec bash; exec sh"
_END_S, _ASK_S = 2.0, 0.05
_SIGNALLED = range(129, 160)


class Shell(ABC):
    """A shell in a running container, on a terminal that has its size before the shell starts.

    Attributes:
        fd: non-blocking; the terminal's output is read from it, keys are written to it.
        pid: the shell in this machine's `/proc`; null where it cannot be seen.
    """

    fd = -1
    pid: int | None = None

    def __init__(self, client: Any, container: str) -> None:
        self.client = client
        self.container = container
        self._id = ""
        self._start: int | None = None

    @abstractmethod
    def resize(self, cols: int, rows: int) -> None:
        """Give its terminal another size."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the terminal; the shell itself ends with its container."""

    def create(self, argv: Sequence[str] | None, options: Mapping[str, Any], *, before: str = "", tty: bool) -> str:
        """Make the exec of a reader that becomes `argv`, or bash where there is one; return its id.

        Args:
            argv: the shell's command line.
            options: environment, workdir and user, as `exec_create` takes them.
            before: shell code that the reader runs first.
            tty: whether the runtime is to give it a terminal.
        """
        script = f"{before}{_WAITS}" + (_BASH_OR_SH if argv is None else 'exec "$@"')
        words = ["sh", "-c", script, "sh", *(argv or ())]
        self._id = str(self.client.exec_create(self.container, words, stdin=tty, tty=tty, **options)["Id"])
        return self._id

    def inspect(self) -> Mapping[str, Any]:
        """Return what the daemon knows about the exec."""
        found: Mapping[str, Any] = self.client.exec_inspect(self._id)
        return found

    def let_go(self) -> None:
        """Send the line and take its echo, so that nothing of this is ever recorded.

        Raises:
            ComponentError: the shell does not start.
        """
        os.write(self.fd, b"\n")
        echo = b""
        deadline = time.monotonic() + START_S
        while len(echo) < 2 and select.select([self.fd], [], [], max(0.0, deadline - time.monotonic()))[0]:  # noqa: PLR2004
            piece = os.read(self.fd, 2 - len(echo))
            if not piece:
                break
            echo += piece
        if echo != b"\r\n":
            raise ComponentError("the shell does not start", where=self.container[:12], fix="does the image hold sh?")
        self.pid = self._visible_pid()
        self._start = None if self.pid is None else started(self.pid)
        if self.pid is not None:
            become(self.pid, _WAITS.encode())

    def _visible_pid(self) -> int | None:
        return visible(int(self.inspect()["Pid"] or 0), self.container)

    def alive(self) -> bool:
        """Whether it runs."""
        if self.pid is not None:
            return self._start is not None and started(self.pid) == self._start
        with suppress(Exception):
            return bool(self.inspect()["Running"])
        return False

    def exit_code(self) -> int | None:
        """Return its exit code or, negative, the signal that ended it; null while it runs or nobody can tell.

        The daemon may hear of an end a moment after we did.
        """
        deadline = time.monotonic() + _END_S
        with suppress(Exception):
            while time.monotonic() < deadline:
                code = self.inspect()["ExitCode"]
                if code is not None:
                    return int(code) if code not in _SIGNALLED else _SIGNALLED.start - 1 - int(code)
                time.sleep(_ASK_S)
        return None


def visible(pid: int, container: str) -> int | None:
    """Return `pid` where it is a process of `container` in this machine's `/proc`, else null."""
    with suppress(OSError):
        if pid and container in Path(f"/proc/{pid}/cgroup").read_text():
            return pid
    return None
