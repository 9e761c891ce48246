"""Calls over stdio that wait for their answers: sent and met by us, so that a call costs no more than it must."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import orjson

from worldtape.collectors.mcp._json import id_key

FIRST = 1_000_000
"""Our ids begin here; those of the SDK's session, which does everything else on the same connection, begin at 1."""


class Calls:
    """Ids of calls that are open, and who waits for them."""

    def __init__(self) -> None:
        self._next = FIRST
        self._waiting: dict[str, asyncio.Future[None]] = {}

    def open(self) -> tuple[int, asyncio.Future[None]]:
        """Return a new id, and what is done when its answer has come or never will."""
        number, self._next = self._next, self._next + 1
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[str(number)] = future
        return number, future

    def close(self, number: int) -> None:
        """Nobody waits any more."""
        self._waiting.pop(str(number), None)

    def met(self, message: dict[str, Any]) -> bool:
        """Wake who waits for this answer; tell whether somebody does."""
        if "method" in message:
            return False
        future = self._waiting.pop(id_key(message.get("id")) or "", None)
        if future is None:
            return False
        _done(future)
        return True

    def over(self) -> None:
        """No answer will come any more."""
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            _done(future)


def frame(message: dict[str, Any]) -> bytes:
    """Return a message as one line."""
    try:
        return orjson.dumps(message) + b"\n"
    except TypeError:  # an integer of more than 64 bits
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


__all__ = ["FIRST", "Calls", "frame"]
