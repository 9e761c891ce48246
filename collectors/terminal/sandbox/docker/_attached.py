"""A shell whose terminal the container runtime holds: keys and output pass through the daemon."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from worldtape.collectors.terminal.sandbox.docker._exec import raw
from worldtape.collectors.terminal.sandbox.docker._plain import plain
from worldtape.collectors.terminal.sandbox.docker._shell import START_S, Shell


class Attached(Shell):
    """Works wherever a daemon does: on another machine, in another virtual machine, for an ordinary user.

    Raises:
        ComponentError: the shell does not start.
    """

    def __init__(
        self, client: Any, container: str, argv: Sequence[str] | None, options: Mapping[str, Any], size: tuple[int, int]
    ) -> None:
        super().__init__(client, container)
        made = self.create(argv, options, tty=True)
        self._held = client.exec_start(made, tty=True, socket=True)
        self._socket = plain(raw(self._held))
        self.fd = self._socket.fileno()
        try:
            self._resize_when_up(size)
            self._socket.setblocking(False)
            self.let_go()
        except BaseException:
            self.close()
            raise

    def resize(self, cols: int, rows: int) -> None:
        """Ask the daemon to."""
        self.client.exec_resize(self._id, height=rows, width=cols)

    def _resize_when_up(self, size: tuple[int, int]) -> None:
        """Give the terminal its size as soon as there is one: an exec starts with 0×0."""
        from docker.errors import APIError

        deadline = time.monotonic() + START_S
        while True:
            try:
                self.resize(*size)
            except APIError:
                if time.monotonic() > deadline or self.inspect()["ExitCode"] is not None:
                    raise
                time.sleep(0.005)
            else:
                return

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self._held.close()
        with suppress(OSError):
            self._socket.close()
        self.fd = -1
