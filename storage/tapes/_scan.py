"""Going through the lines of a tape and telling a torn tail from damage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from worldtape.errors import FormatError
from worldtape.storage.tapes._line import LONGEST, decode

_CHUNK = 1 << 18


class Readable(Protocol):
    """Anything that hands out bytes."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, none at the end."""
        ...


class Scan:
    """One pass over a tape; iterate it, then look at what it found.

    Args:
        stream: its plain bytes.
        where: for messages.
        remarks: whether thoughts and notices are wanted with their data.

    Attributes:
        good: bytes of the valid prefix.
        torn: bytes after it.
        count: events in it.
        damaged: True where whole events stand after the torn bytes, or the numbers have a gap: no kill does that.
    """

    def __init__(self, stream: Readable, where: object = None, *, remarks: bool = True) -> None:
        self._stream = stream
        self._remarks = remarks
        self._where = where
        self.good = self.torn = self.count = 0
        self.damaged = False

    def __iter__(self) -> Iterator[dict[str, Any]]:
        lines = _lines(self._stream, self._where)
        for line in lines:
            event = decode(line, remarks=self._remarks)
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


def _lines(stream: Readable, where: object) -> Iterator[bytes]:
    r"""Split on `\n` only; the last line may lack it.

    Raises:
        FormatError: a line is longer than any that a writer writes.
    """
    parts: list[bytes] = []
    held = 0
    while chunk := stream.read(_CHUNK):
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join((*parts, line, b"\n"))
            parts.clear()
            held = 0
        if rest:
            parts.append(rest)
            held += len(rest)
        if held > LONGEST:
            fix = "nothing that Worldtape writes is so long: restore the tape from a copy"
            raise FormatError(f"a line of more than {LONGEST >> 20} MiB", where=where, fix=fix)
    if parts:
        yield b"".join(parts)
