"""Moves bytes between the sandbox and the screen; the sink takes them first."""

from __future__ import annotations

import asyncio
import errno
import os
import select
import time
from collections.abc import Callable

from worldtape.collectors.terminal.render.screen import Screen
from worldtape.schemas import Sink

_READ = 1 << 16
_BURST = 1 << 16
_MOST = 1 << 20
_GATHER_S = 0.008
_WRITE = 4096


class Pump:
    """The two directions of one terminal.

    Args:
        fd: non-blocking; output is read from it, keys are written to it.
        size: columns and rows at the start.

    Attributes:
        keys_fd: where keys are written to.
        screen: what the output amounts to; its answers to queries are typed back.
        received: bytes handed to the sink so far, per channel.
        ended: true when the other side hung up.
        first_mono: when the first output since `attach` was read, monotonic ns; None before any.
        feeds: take every piece of output, after the sink.
    """

    def __init__(self, fd: int, size: tuple[int, int]) -> None:
        self._fd = self.keys_fd = fd
        self.screen = Screen(*size, on_reply=self._reply)
        self._sink: Sink | None = None
        self._replies: list[bytes] = []
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)
        self.received: dict[str, int] = {"pty": 0, "pty.in": 0, "pty.size": 0}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiter: asyncio.Future[bool] | None = None
        self.ended = False
        self.first_mono: int | None = None
        self.feeds: list[Callable[[bytes], None]] = []

    def attach(self, sink: Sink) -> None:
        """Send what is read from now on to `sink`."""
        self._sink = sink
        self.first_mono = None

    def _reply(self, data: bytes) -> None:
        self._replies.append(data)

    def record(self, channel: str, data: bytes, mono_ns: int) -> None:
        """Give `data` to the sink, and then to the screen."""
        if self._sink is not None:
            self._sink(channel, data, mono_ns)
        self.received[channel] += len(data)
        if channel == "pty":
            if self.first_mono is None:
                self.first_mono = mono_ns
            for feed in self.feeds:
                feed(data)
        if channel != "pty.in":
            self.screen.feed(channel, data)

    def read(self) -> int:
        """Take what is there, at most about 1 MiB, and return how many bytes it was.

        Small output is taken at once; a flood is gathered for some milliseconds, so that it makes few events.
        """
        mono, chunks, size = time.monotonic_ns(), [], 0
        until = 0.0
        while size < _MOST:
            chunk = self._read_once()
            if chunk:
                chunks.append(chunk)
                size += len(chunk)
            elif size < _BURST or self.ended or time.monotonic() > until:
                break
            else:
                self._poll.poll(1)
            if not until and size >= _BURST:
                until = time.monotonic() + _GATHER_S
        if size:
            self.record("pty", b"".join(chunks), mono)
            self._send_replies()
        return size

    def _read_once(self) -> bytes:
        if self.ended:
            return b""
        try:
            chunk = os.read(self._fd, _READ)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno not in {errno.EIO, errno.ECONNRESET, errno.EBADF, errno.EPIPE}:
                raise
            chunk = b""
        self.ended = not chunk
        return chunk

    def _send_replies(self) -> None:
        replies, self._replies = self._replies, []
        for reply in replies:
            self._write_once(reply)

    def _write_once(self, data: bytes) -> int:
        try:
            count = os.write(self.keys_fd, data[:_WRITE])
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno not in {errno.EIO, errno.ECONNRESET, errno.EBADF, errno.EPIPE}:
                raise
            self.ended = True
            return 0
        self.record("pty.in", data[:count], time.monotonic_ns())
        return count

    async def write(self, data: bytes, deadline: float) -> int:
        """Type `data`, reading meanwhile; return how many bytes could not be typed before `deadline` (monotonic s)."""
        while data and not self.ended:
            count = self._write_once(data)
            data = data[count:]
            if not data:
                break
            took = self.read()
            if not count and not took:
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                await self.readable(min(left, 0.005))
        return len(data)

    async def readable(self, seconds: float) -> bool:
        """Wait until there is something to read, or for `seconds`; say which."""
        loop = asyncio.get_running_loop()
        if self.ended:
            self.close()
            await asyncio.sleep(seconds)
            return False
        if self._loop is not loop:
            self._loop = loop
            loop.add_reader(self._fd, self._there)
        waiter: asyncio.Future[bool] = loop.create_future()
        self._waiter = waiter
        timer = loop.call_later(seconds, _wake, waiter, False)
        try:
            return await waiter
        finally:
            timer.cancel()
            self._waiter = None

    def _there(self) -> None:
        """Wake who waits for output; where nobody does, look no more until somebody waits again."""
        if not self._poll.poll(0):
            return
        if self._waiter is None:
            self.close()
        else:
            _wake(self._waiter, True)

    def close(self) -> None:
        """Let the event loop forget the file descriptor; before it is closed."""
        loop, self._loop = self._loop, None
        if loop is not None and not loop.is_closed():
            loop.remove_reader(self._fd)


def _wake(waiter: asyncio.Future[bool], readable: bool) -> None:
    if not waiter.done():
        waiter.set_result(readable)
