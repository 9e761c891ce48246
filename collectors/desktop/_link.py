"""The connection to what runs inside a desktop's container."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from worldtape.collectors.terminal.sandbox.docker._exec import raw
from worldtape.collectors.terminal.sandbox.docker._frames import Frames
from worldtape.collectors.terminal.sandbox.docker._plain import plain

LOG = "/tmp/.worldtape.log"  # noqa: S108 — in the container
# Started by another name, so that no `pkill python` of an action meets it.
_START = f'ln -sf "$(command -v python3)" /tmp/.session && exec /tmp/.session -m "$1" 2>{LOG}'
_MODULE = "worldtape.collectors.desktop.inside"
_PIECE = 1 << 18
_ASKED, _ASK_S = 40, 0.05


class LinkLostError(Exception):
    """Nobody answers any more."""


@dataclass(slots=True)
class Reply:
    """The answer to one request: what stands in its first line, and the bytes that follow."""

    head: dict[str, Any]
    blobs: dict[str, bytes] = field(default_factory=dict)


class Link:
    """One session in one container; its requests follow each other."""

    def __init__(self, client: Any, name: str, held: Any, streams: tuple[Any, Any]) -> None:
        self._client = client
        self._name = name
        self._held = held
        self._reader: asyncio.StreamReader = streams[0]
        self._writer: asyncio.StreamWriter = streams[1]
        self._frames = Frames()
        self._waiting = bytearray()

    @classmethod
    async def open(cls, client: Any, container: str, options: Mapping[str, Any]) -> Self:
        """Start the session; it says nothing before it is asked.

        Raises:
            docker.errors.DockerException: the daemon or the container is gone.
        """
        name, held = await asyncio.to_thread(_started, client, container, options)
        sock = plain(raw(held))
        sock.setblocking(False)
        return cls(client, name, held, await asyncio.open_connection(sock=sock, limit=_PIECE))

    async def ask(self, request: Mapping[str, Any], limit_s: float) -> Reply:
        """Send a request and return its answer.

        Raises:
            LinkLostError: the session or the container is gone, or silent for longer than `limit_s`.
        """
        try:
            async with asyncio.timeout(limit_s):
                self._writer.write(json.dumps(request).encode() + b"\n")
                await self._writer.drain()
                head = json.loads(await self._line())
                sizes = head.pop("blobs")
                return Reply(head, {name: await self._bytes(size) for name, size in sizes})
        except (OSError, TimeoutError) as error:
            raise LinkLostError(str(error)) from error

    async def _more(self) -> None:
        data = await self._reader.read(_PIECE)
        if not data:
            raise LinkLostError("the session has ended")
        self._waiting += self._frames.feed(data)

    async def _line(self) -> bytes:
        while (end := self._waiting.find(b"\n")) < 0:
            await self._more()
        return await self._bytes(end + 1)

    async def _bytes(self, size: int) -> bytes:
        while len(self._waiting) < size:
            await self._more()
        data = bytes(self._waiting[:size])
        del self._waiting[:size]
        return data

    async def exit_code(self) -> int | None:
        """Ask the daemon how the session ended; None where it runs on, or nobody knows."""
        from docker.errors import DockerException
        from requests.exceptions import RequestException

        with suppress(DockerException, RequestException):
            for _ in range(_ASKED):
                code = (await asyncio.to_thread(self._client.exec_inspect, self._name))["ExitCode"]
                if code is not None:
                    return int(code)
                await asyncio.sleep(_ASK_S)
        return None

    def close(self) -> None:
        """Let go of it; the session ends with its input."""
        with suppress(OSError):
            self._writer.close()
        with suppress(OSError):
            self._held.close()


def _started(client: Any, container: str, options: Mapping[str, Any]) -> tuple[str, Any]:
    words = ["sh", "-c", _START, "sh", _MODULE]
    name = client.exec_create(container, words, stdin=True, stderr=False, **options)["Id"]
    return name, client.exec_start(name, socket=True)


__all__ = ["LOG", "Link", "LinkLostError", "Reply"]
