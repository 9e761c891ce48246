"""Going through the lines of a tape and telling a torn tail from damage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from worldtape.storage.tapes._line import decode

_CHUNK = 1 << 18


class Readable(Protocol):
    """Anything that hands out bytes."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, none at the end."""
        ...


class Scan:
    """One pass over a tape; iterate it, then look at what it found.

    Attributes:
        good: bytes of the valid prefix.
        torn: bytes after it.
        count: events in it.
        damaged: True where whole events stand after the torn bytes, or the numbers have a gap: no kill does that.
    """

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self.good = self.torn = self.count = 0
        self.damaged = False

    def __iter__(self) -> Iterator[dict[str, Any]]:
        lines = _lines(self._stream)
        for line in lines:
            event = decode(line)
            if event is None or event["seq"] != self.count:
                self._rest(line, lines)
                return
            self.good += len(line)
            self.count += 1
            yield event

    def _rest(self, line: bytes, lines: Iterator[bytes]) -> None:
        self.damaged = decode(line) is not None
        self.torn = len(line)
        for more in lines:
            self.torn += len(more)
            self.damaged = self.damaged or decode(more) is not None


def _lines(stream: Readable) -> Iterator[bytes]:
    r"""Split on `\n` only; the last line may lack it."""
    parts: list[bytes] = []
    while chunk := stream.read(_CHUNK):
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join((*parts, line, b"\n"))
            parts.clear()
        if rest:
            parts.append(rest)
    if parts:
        yield b"".join(parts)
