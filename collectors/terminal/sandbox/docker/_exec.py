"""One command beside the shell: its output as it comes, its end by asking, never by waiting for a closed pipe."""

import select
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from worldtape.collectors.terminal.sandbox._ran import Ran
from worldtape.collectors.terminal.sandbox.docker._frames import Frames
from worldtape.collectors.terminal.sandbox.docker._plain import plain

# Waits for a line: what is said before docker-py has read the answer's headers would be lost. Then says its pid, so
# that its whole group can be ended, and becomes the command.
_NAMED = ["sh", "-c", 'read -r _; echo $$; exec "$@"', "sh"]
_LOOK_S = 0.05


def raw(sock: Any) -> Any:
    """Return the socket behind what docker-py hands out: a socket, or something that acts like one."""
    return getattr(sock, "_sock", sock)


class Exec:
    """A command in a container.

    Args:
        options: passed to `exec_create`: environment, workdir, user.
    """

    def __init__(self, client: Any, container: str, argv: Sequence[str], options: Mapping[str, Any]) -> None:
        self._client = client
        self._container = container
        self._id = client.exec_create(container, [*_NAMED, *argv], stdin=True, **options)["Id"]
        self._frames = Frames()
        self._output = bytearray()
        self.stopped = threading.Event()

    def run(self, stdin: bytes, timeout_s: float) -> Ran:
        """Feed it `stdin`, wait for its end or the deadline, and return what it said."""
        deadline = time.monotonic() + timeout_s
        held = self._client.exec_start(self._id, socket=True)
        sock = plain(raw(held))
        feeder = threading.Thread(target=self._feed, args=(sock, stdin), daemon=True)
        feeder.start()
        try:
            code = self._follow(sock, deadline)
        finally:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            feeder.join()
            held.close()
            sock.close()
        self._output += self._frames.rest()
        return Ran(code, bytes(self._output).partition(b"\n")[2])

    def _feed(self, sock: socket.socket, stdin: bytes) -> None:
        with suppress(OSError):
            sock.sendall(b"\n" + stdin)
            sock.shutdown(socket.SHUT_WR)

    def _follow(self, sock: socket.socket, deadline: float) -> int | None:
        while time.monotonic() < deadline and not self.stopped.is_set():
            if select.select([sock], [], [], _LOOK_S)[0]:
                data = sock.recv(65536)
                self._output += self._frames.feed(data)
                if not data:
                    break
            elif not self._info()["Running"]:
                break
        while (info := self._info())["Running"]:
            if time.monotonic() >= deadline or self.stopped.wait(_LOOK_S):
                self._kill()
                return None
        return int(info["ExitCode"])

    def _info(self) -> dict[str, Any]:
        return dict(self._client.exec_inspect(self._id))

    def _kill(self) -> None:
        leader = bytes(self._output).partition(b"\n")[0].decode(errors="replace").strip()
        if leader.isdigit():
            kill = ["sh", "-c", f"kill -9 -{leader}"]
            made = self._client.exec_create(self._container, kill, user="0")["Id"]
            self._client.exec_start(made)
