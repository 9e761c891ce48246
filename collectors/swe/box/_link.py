"""The connection to what does our work inside a container."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from worldtape.collectors.terminal.sandbox.docker._exec import raw
from worldtape.collectors.terminal.sandbox.docker._frames import Frames
from worldtape.collectors.terminal.sandbox.docker._plain import plain

Heard = Callable[[str, bytes], None]
"""Takes `out` or `err`, and a piece of output the moment it has come."""
# It is started by another name and from no file, so that no `pkill python` of an agent meets it, and its script stands
# in no process list. It says nothing before the script has come: docker-py would lose that.
_START = 'd=$(mktemp -d) && ln -s "$(command -v python3)" "$d/init" && exec "$d/init" -I -c "$1" "$d" 2>/dev/null'
_LOAD = (
    "import os,shutil,sys;shutil.rmtree(sys.argv[1]);i=sys.stdin.buffer;"
    "exec(compile(i.read(int(i.readline())),'init','exec'))"
)
_PIECE = 1 << 18


class LinkLostError(Exception):
    """Nobody answers any more; `heard` so far is all there is."""


@dataclass(slots=True)
class Reply:
    """The answer to one request."""

    head: dict[str, Any]
    data: bytes = b""
    out: bytearray = field(default_factory=bytearray)
    err: bytearray = field(default_factory=bytearray)


class Link:
    """One runner in one container; its requests follow each other."""

    def __init__(self, held: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._held = held
        self._reader = reader
        self._writer = writer
        self._frames = Frames()
        self._waiting = bytearray()

    @classmethod
    async def open(cls, client: Any, container: str, options: Mapping[str, Any]) -> Self:
        """Start a runner.

        Args:
            client: docker-py's.
            container: its id; it has sh and python3.
            options: passed to `exec_create`: environment, workdir, user.

        Raises:
            LinkLostError: it does not start.
            docker.errors.DockerException: the daemon or the container is gone.
        """
        words = ["sh", "-c", _START, "sh", _LOAD]
        held = await asyncio.to_thread(_started, client, container, words, options)
        sock = plain(raw(held))
        sock.setblocking(False)
        link = cls(held, *await asyncio.open_connection(sock=sock, limit=_PIECE))
        script = Path(__file__).with_name("agent.py").read_bytes()
        link._writer.write(b"%d\n" % len(script) + script)
        try:
            await link.ask({"op": "stat", "path": "/", "follow": True})
        except BaseException:
            link.close()
            raise
        return link

    async def ask(self, request: Mapping[str, Any], data: bytes = b"", *, heard: Heard | None = None) -> Reply:
        """Send a request and wait for the whole answer.

        Raises:
            LinkLostError: the runner or its container died; its argument is the `Reply` so far.
        """
        reply = Reply({})
        pieces = bytearray()
        try:
            self._writer.write(json.dumps({**request, "n": len(data)}).encode() + b"\n" + data)
            await self._writer.drain()
            while True:
                head = json.loads(await self._line())
                piece = await self._exactly(head.get("n", 0))
                kind = head["t"]
                if kind in ("out", "err"):
                    (reply.out if kind == "out" else reply.err).extend(piece)
                    if heard is not None:
                        heard(kind, piece)
                    continue
                pieces += piece
                if kind != "data":
                    reply.head, reply.data = head, bytes(pieces)
                    return reply
        except (OSError, EOFError, ValueError) as error:
            raise LinkLostError(reply) from error

    def close(self) -> None:
        """Let go; the runner ends when its input does."""
        with suppress(OSError, RuntimeError):
            self._writer.close()
        with suppress(OSError):
            self._held.close()

    async def _more(self) -> None:
        got = await self._reader.read(_PIECE)
        if not got:
            raise EOFError
        self._waiting += self._frames.feed(got)

    async def _line(self) -> bytes:
        while (end := self._waiting.find(b"\n")) < 0:
            await self._more()
        line = bytes(self._waiting[:end])
        del self._waiting[: end + 1]
        return line

    async def _exactly(self, size: int) -> bytes:
        while len(self._waiting) < size:
            await self._more()
        data = bytes(self._waiting[:size])
        del self._waiting[:size]
        return data


def _started(client: Any, container: str, words: list[str], options: Mapping[str, Any]) -> Any:
    made = client.exec_create(container, words, stdin=True, **options)["Id"]
    return client.exec_start(made, socket=True)


__all__ = ["Heard", "Link", "LinkLostError", "Reply"]
