"""A way to the Docker daemon that can be cut."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from worldtape.collectors.terminal.sandbox.docker import host


class Relay:
    """Listens at `path` and passes every connection on to the daemon's local socket, until `cut`."""

    def __init__(self, path: Path) -> None:
        self.address = f"unix://{path}"
        self._target = host().removeprefix("unix://")
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(path))
        self._door.listen()
        self._open: list[socket.socket] = []
        self._cut = False
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                if self._cut:
                    near.close()
                    continue
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._target)
                self._open += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=_carry, args=(source, target), daemon=True).start()

    def cut(self) -> None:
        """Close every connection, and each new one at once: docker-py would leak one that is refused."""
        self._cut = True
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End it."""
        self.cut()
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        for one in (self._door, *self._open):
            one.close()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def relay(folder: Path) -> Iterator[Relay]:
    found = Relay(folder / "docker.sock")
    try:
        yield found
    finally:
        found.close()
