"""A server over stdio: its process, and the frames on its pipes."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import signal
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

from worldtape.collectors.mcp._calls import Calls, frame
from worldtape.collectors.mcp._json import Lines
from worldtape.collectors.mcp._streams import Inbox, session_message
from worldtape.collectors.mcp._wire import Wire
from worldtape.collectors.processes import Group

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

_GRACE_S = 2.0
"""So long a server has to end after its stdin has, and again after SIGTERM."""
_SETTLE_S = 0.5
_POLL_S = 0.02


class Stdio:
    """Starts a server and is both ends of its connection: `inbox` is what it says, `send` what it is told.

    Every line of its stdout and every byte of its stderr goes to the wire before anything else sees it. The connection
    is over when stdout ends or the process does, whatever it started meanwhile.

    Attributes:
        inbox: its messages.
        gone: whether the connection is over.
    """

    def __init__(self, wire: Wire, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
        self.inbox = Inbox()
        self.gone = False
        self.refused: int | None = None
        self._wire = wire
        self._asked = (tuple(argv), dict(env), cwd)
        self._group: Group | None = None
        self._transports: list[asyncio.BaseTransport] = []
        self._stdin: asyncio.WriteTransport | None = None
        self._room: asyncio.Event = asyncio.Event()
        self._exited: asyncio.Event = asyncio.Event()
        self._status: int | None = None
        self._lines = Lines()
        self._calls = Calls()
        self._watch: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the process.

        Raises:
            ComponentError: it cannot be started.
        """
        argv, env, cwd = self._asked
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self._group = group = Group(argv, env=env, cwd=cwd, **pipes)
        popen = group.popen
        assert popen.stdin is not None
        assert popen.stdout is not None
        assert popen.stderr is not None
        loop = asyncio.get_running_loop()
        for pipe, take in ((popen.stdout, self._out), (popen.stderr, self._wire.said)):
            reader, _ = await loop.connect_read_pipe(_reading(take, self._end if take == self._out else None), pipe)
            self._transports.append(reader)
        self._stdin, _ = await loop.connect_write_pipe(lambda: _Writing(self._room), popen.stdin)
        self._transports.append(self._stdin)
        self._room.set()
        if group.pidfd is not None:
            loop.add_reader(group.pidfd, self._ended, popen.stdout)
        else:
            self._watch = asyncio.create_task(self._poll(popen.stdout))

    @property
    def status(self) -> int | None:
        """The exit code of the process or, negative, the signal that ended it; None while it lives."""
        return self._status if self._group is None else self._group.status()

    @property
    def pid(self) -> int | None:
        """The process."""
        return None if self._group is None else self._group.pid

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message: the tape first."""
        import anyio

        message = item.message
        line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        if self.gone or self._stdin is None:
            raise anyio.BrokenResourceError
        self._wire.sent(line, vars(message))
        self._stdin.write(line)
        if not self._room.is_set():
            await self._room.wait()

    async def ask(self, method: str, params: dict[str, Any], timeout_s: float, *, progress: bool) -> None:
        """Send a request and wait until its answer is on the wire, or the connection is over.

        Raises:
            TimeoutError: it was given up at the time limit; the server was told.
        """
        number, answered = self._calls.open()
        given = params | {"_meta": {"progressToken": number}} if progress else params
        try:
            async with asyncio.timeout(timeout_s):
                self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": given})
                if not self._room.is_set():
                    await self._room.wait()
                await answered
        except (TimeoutError, asyncio.CancelledError) as error:
            why = f"timed out after {timeout_s:g} s" if isinstance(error, TimeoutError) else "given up"
            told = {"requestId": number, "reason": why}
            self._write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": told})
            raise
        finally:
            self._calls.close(number)

    def _write(self, message: dict[str, Any]) -> None:
        if self.gone or self._stdin is None:
            return
        line = frame(message)
        self._wire.sent(line, message)
        self._stdin.write(line)

    async def settle(self) -> None:
        """Wait a moment for the process of a connection that is over: then it is known how it ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SETTLE_S):
                await self._exited.wait()

    async def aclose(self) -> None:
        """Nothing more is to be sent."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def close(self) -> None:
        """End the server: its stdin, then SIGTERM, then SIGKILL, to its whole group; what it still says is kept."""
        group = self._group
        if group is None:
            return
        try:
            if self._stdin is not None:
                self._stdin.close()
            if not await self._leaves():
                group.signal(signal.SIGTERM)
                await self._leaves()
        finally:
            self._group = None
            if group.pidfd is not None:
                asyncio.get_running_loop().remove_reader(group.pidfd)
            if self._watch is not None:
                self._watch.cancel()
            group.close()
            self._status = group.status()
            self._end()
            for transport in self._transports:
                transport.close()

    async def _leaves(self) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                await self._exited.wait()
        return self._exited.is_set()

    def _out(self, data: bytes) -> None:
        for line in self._lines.feed(data):
            self._hand_on(line)

    def _hand_on(self, line: bytes) -> None:
        for message in self._wire.came(line):
            if self._calls.met(message):
                continue
            item = session_message(message)
            if item is not None:
                self.inbox.put(item)

    def _end(self) -> None:
        if self.gone:
            return
        rest = self._lines.rest()
        if rest:
            self._wire.torn(rest)
        self.gone = True
        self._room.set()
        self._calls.over()
        self.inbox.close()

    def _ended(self, stdout: IO[bytes]) -> None:
        """The process is gone: read what is left of its stdout, then end."""
        if not self.gone and _waiting(stdout):
            return  # called again: the process stays gone
        if self._group is not None and self._group.pidfd is not None:
            asyncio.get_running_loop().remove_reader(self._group.pidfd)
        self._exited.set()
        self._end()

    async def _poll(self, stdout: IO[bytes]) -> None:
        while not self._exited.is_set():
            if self.status is not None:
                self._ended(stdout)
            await asyncio.sleep(_POLL_S)


def _waiting(pipe: IO[bytes]) -> int:
    """Return how many bytes can be read from a pipe."""
    try:
        return int(struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, b"\0" * 4))[0])
    except (OSError, ValueError):
        return 0


def _reading(take: Any, ended: Any) -> Any:
    return lambda: _Reading(take, ended)


class _Reading(asyncio.Protocol):
    """Hands on what is read."""

    def __init__(self, take: Any, ended: Any) -> None:
        self._take = take
        self._ended = ended

    def data_received(self, data: bytes) -> None:
        self._take(data)

    def connection_lost(self, _: Exception | None) -> None:
        if self._ended is not None:
            self._ended()


class _Writing(asyncio.BaseProtocol):
    """Knows whether there is room in the pipe."""

    def __init__(self, room: asyncio.Event) -> None:
        self._room = room

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    def connection_lost(self, _: Exception | None) -> None:
        self._room.set()


__all__ = ["Stdio"]
