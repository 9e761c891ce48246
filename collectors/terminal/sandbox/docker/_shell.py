"""The interactive shell of a container: an exec with a terminal, sized before the shell starts."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from worldtape.collectors.terminal.sandbox._launch import become
from worldtape.collectors.terminal.sandbox._started import started
from worldtape.collectors.terminal.sandbox.docker._exec import raw
from worldtape.collectors.terminal.sandbox.docker._plain import plain
from worldtape.errors import ComponentError

# An exec starts with a screen of 0×0. So a reader starts first, and becomes the shell on a line that we send.
_WAITS = ["sh", "-c", 'read -r _; exec "$@"', "sh"]
_READER = b"\0read -r _; "
_BASH_OR_SH = ["sh", "-c", "read -r _; command -v bash >/dev/null && exec bash; exec sh"]
_START_S = 20.0
_END_S, _ASK_S = 2.0, 0.05
_SIGNALLED = range(129, 160)


class Shell:
    """Open it in a running container.

    Raises:
        ComponentError: it does not start.
    """

    def __init__(
        self, client: Any, container: str, argv: Sequence[str] | None, options: Mapping[str, Any], size: tuple[int, int]
    ) -> None:
        self._client = client
        self._container = container
        command = _BASH_OR_SH if argv is None else [*_WAITS, *argv]
        self._id = client.exec_create(container, command, stdin=True, tty=True, **options)["Id"]
        self._held = client.exec_start(self._id, tty=True, socket=True)
        self._socket = plain(raw(self._held))
        self.fd = self._socket.fileno()
        try:
            self._resize_when_up(size)
            self._let_go()
            self.pid = self._visible_pid()
            self._start = None if self.pid is None else started(self.pid)
            if self.pid is not None:
                become(self.pid, _READER)
        except BaseException:
            self.close()
            raise

    def resize(self, cols: int, rows: int) -> None:
        """Give its terminal another size."""
        self._client.exec_resize(self._id, height=rows, width=cols)

    def _resize_when_up(self, size: tuple[int, int]) -> None:
        from docker.errors import APIError

        deadline = time.monotonic() + _START_S
        while True:
            try:
                self.resize(*size)
            except APIError:
                if time.monotonic() > deadline or self._client.exec_inspect(self._id)["ExitCode"] is not None:
                    raise
                time.sleep(0.005)
            else:
                return

    def _let_go(self) -> None:
        """Send the line; take its echo, so that nothing of this is ever recorded."""
        self._socket.setblocking(False)
        os.write(self.fd, b"\n")
        echo = b""
        deadline = time.monotonic() + _START_S
        while len(echo) < 2 and select.select([self.fd], [], [], max(0.0, deadline - time.monotonic()))[0]:  # noqa: PLR2004
            piece = os.read(self.fd, 2 - len(echo))
            if not piece:
                break
            echo += piece
        if echo != b"\r\n":
            raise ComponentError("the shell does not start", where=self._container[:12], fix="does the image hold sh?")

    def _visible_pid(self) -> int | None:
        pid = int(self._client.exec_inspect(self._id)["Pid"] or 0)
        with suppress(OSError):
            if pid and self._container in Path(f"/proc/{pid}/cgroup").read_text():
                return pid
        return None

    def alive(self) -> bool:
        """Whether it runs."""
        if self.pid is not None:
            return self._start is not None and started(self.pid) == self._start
        with suppress(Exception):
            return bool(self._client.exec_inspect(self._id)["Running"])
        return False

    def exit_code(self) -> int | None:
        """Return its exit code or, negative, the signal that ended it; null while it runs or nobody can tell.

        The daemon may hear of an end a moment after we did.
        """
        deadline = time.monotonic() + _END_S
        with suppress(Exception):
            while time.monotonic() < deadline:
                code = self._client.exec_inspect(self._id)["ExitCode"]
                if code is not None:
                    return int(code) if code not in _SIGNALLED else _SIGNALLED.start - 1 - int(code)
                time.sleep(_ASK_S)
        return None

    def close(self) -> None:
        """Close the connection; the shell itself ends with its container."""
        with suppress(OSError):
            self._held.close()
        with suppress(OSError):
            self._socket.close()
        self.fd = -1
