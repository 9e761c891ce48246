"""One command beside the shell: its output as it comes, its end told by a line behind it, never by a closed pipe."""

import os
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

# Waits for a line: what is said before docker-py has read the answer's headers would be lost. Says its pid, so that its
# whole group can be ended. When the command has ended, repeats the line that came, with the exit code: the daemon knows
# of an end before it has passed on all output, and a closed pipe may never come, since what stays in the background
# holds it. All goes through one pipe, in which nothing can overtake.
_NAMED = ["sh", "-c", 'read -r end; echo $$; exec 2>/dev/null; (exec "$@") 2>&1; echo "$end $?"', "sh"]
_WAIT_S = 0.05
_ASK_S = (0.05, 1.0)
_REST_S = 10.0
_KILLED = 137
_GONE = (404, 409)


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
        self._end = os.urandom(16).hex().encode()
        self._output = bytearray()
        self._looked = 0
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
        return Ran(code, self._said())

    def _feed(self, sock: socket.socket, stdin: bytes) -> None:
        with suppress(OSError):
            sock.sendall(self._end + b"\n" + stdin)
            sock.shutdown(socket.SHUT_WR)

    def _follow(self, sock: socket.socket, deadline: float) -> int | None:
        """Read until the end is told; ask the daemon, ever less often, for one that nobody could tell."""
        pause, ask = _ASK_S[0], time.monotonic() + _ASK_S[0]
        while time.monotonic() < deadline and not self.stopped.is_set():
            more = self._read(sock, _WAIT_S)
            told = self._told()
            if told is not None:
                return told
            if more is False:
                return self._asked_until(deadline)
            if more is None and time.monotonic() >= ask:
                code = self._asked()
                if code is not None:
                    told = self._rest(sock)
                    return code if told is None else told
                pause = min(2 * pause, _ASK_S[1])
                ask = time.monotonic() + pause
        self._cut(sock)
        return None

    def _read(self, sock: socket.socket, wait_s: float) -> bool | None:
        """Return whether something came; null where nothing did in time, false where nothing ever will."""
        if not select.select([sock], [], [], wait_s)[0]:
            return None
        try:
            data = sock.recv(65536)
        except ConnectionError:
            return False
        self._output += self._frames.feed(data)
        return bool(data)

    def _told(self) -> int | None:
        """Return the exit code that stands behind the output, once it does."""
        found = self._output.find(self._end, self._looked)
        self._looked = max(0, len(self._output) - len(self._end)) if found < 0 else found
        if found < 0:
            return None
        code, newline, _ = self._output[found + len(self._end) :].partition(b"\n")
        return int(code) if newline else None

    def _rest(self, sock: socket.socket) -> int | None:
        """Read what is still on its way from a command that has ended."""
        while (told := self._told()) is None and self._read(sock, _REST_S):
            pass
        return told

    def _asked(self) -> int | None:
        """Return the exit code that the daemon knows; an exec that went away was killed with its container."""
        from docker.errors import NotFound

        try:
            code = self._client.exec_inspect(self._id)["ExitCode"]
        except NotFound:
            return _KILLED
        return None if code is None else int(code)

    def _asked_until(self, deadline: float) -> int | None:
        while (code := self._asked()) is None:
            if time.monotonic() >= deadline or self.stopped.wait(_WAIT_S):
                self._kill()
                return None
        return code

    def _cut(self, sock: socket.socket) -> None:
        """End it, and read what it had said by then."""
        while b"\n" not in self._output and self._read(sock, _REST_S):
            pass
        self._kill()
        if not self.stopped.is_set():
            self._rest(sock)

    def _kill(self) -> None:
        from docker.errors import APIError

        leader = bytes(self._output).partition(b"\n")[0].decode(errors="replace").strip()
        if not leader.isdigit():
            return
        kill = ["sh", "-c", f"kill -9 -{leader}"]
        try:
            made = self._client.exec_create(self._container, kill, user="0")["Id"]
            self._client.exec_start(made)
        except APIError as error:
            if error.status_code not in _GONE:
                raise

    def _said(self) -> bytes:
        output = bytes(self._output + self._frames.rest())
        leader, _, said = output.partition(b"\n")
        return said.partition(self._end)[0] if leader.isdigit() else output  # what the daemon says in its place
