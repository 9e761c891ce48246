"""A shell on a terminal of the container's own that we hold: nothing stands between it and the recorder."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from worldtape.collectors.terminal import _proc
from worldtape.collectors.terminal.sandbox._pty import close_quietly, open_master, set_size
from worldtape.collectors.terminal.sandbox.docker._shell import START_S, Shell, visible
from worldtape.errors import ComponentError

_TIOCGPTPEER = 0x5441
_PTS = 136
_LOOK_S, _GONE_S = 0.001, 10.0


class Near(Shell):
    """For a daemon on this machine whose containers we may look into, as root may.

    The terminal is opened in the container's own `/dev/pts`, by way of its first process. So the daemon, its shim and
    their copies of every byte are not needed, and a moment at which all output has come can be known.
    """

    def open(self, argv: Sequence[str] | None, options: Mapping[str, Any], size: tuple[int, int]) -> None:
        """Open the terminal and start the shell on it.

        Raises:
            OSError: the container cannot be looked into.
            ComponentError: the shell does not start, or not on that terminal.
        """
        first = visible(int(self.client.inspect_container(self.container)["State"]["Pid"] or 0), self.container)
        if first is None:
            raise ProcessLookupError(self.container)
        self.fd, number = open_master(f"/proc/{first}/root", *size)
        self._give(os.stat(f"/proc/{first}").st_uid)  # noqa: PTH116
        takes = f"exec 0<>/dev/pts/{number} 1>&0 2>&1; "
        self.client.exec_start(self.create(argv, options, before=takes, tty=False), detach=True)
        self._wait_for((_PTS, number))
        self.let_go()

    def _give(self, owner: int) -> None:
        """Make the container's user the owner of the terminal, as after a login."""
        slave = fcntl.ioctl(self.fd, _TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            os.fchown(slave, owner, -1)
        finally:
            os.close(slave)

    def _wait_for(self, tty: tuple[int, int]) -> None:
        """Wait until the reader has the terminal as its own."""
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            found = self.inspect()
            stat = _proc.read_stat(int(found["Pid"] or 0))
            if stat is not None and stat.tty == tty:
                return
            if found["ExitCode"] is not None:
                break
            time.sleep(_LOOK_S)
        raise ComponentError("the shell does not start on its terminal", where=self.container[:12])

    def resize(self, cols: int, rows: int) -> None:
        """Set the size of the terminal that we hold."""
        with suppress(OSError):
            set_size(self.fd, cols, rows)

    def close(self) -> None:
        """Close the terminal: what still runs on it is hung up."""
        fd, self.fd = self.fd, -1
        close_quietly(fd)

    def give_up(self) -> None:
        """Close the terminal and see its end through: the next one has the same number, and must not have two readers.

        Raises:
            ComponentError: what was started on it does not end.
        """
        self.close()
        deadline = time.monotonic() + _GONE_S
        while self._id and self.inspect()["ExitCode"] is None:
            if time.monotonic() > deadline:
                raise ComponentError("a shell that came to nothing does not end", where=self.container[:12])
            time.sleep(_LOOK_S)


def near(
    client: Any, container: str, argv: Sequence[str] | None, options: Mapping[str, Any], size: tuple[int, int]
) -> Near | None:
    """Open a shell on a terminal that we hold; null where that does not work, whatever the reason."""
    shell = Near(client, container)
    try:
        shell.open(argv, options, size)
    except (OSError, ComponentError):
        shell.give_up()
        return None
    except BaseException:
        shell.close()
        raise
    return shell
