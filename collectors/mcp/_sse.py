"""Server-sent events, cut where one ends and the next begins."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r|\n\r\n|\r\n\n")
_LINE = re.compile(rb"\r\n|\n|\r")


@dataclass(slots=True)
class ServerEvent:
    """One event."""

    data: bytes = b""
    """Its `data` lines, joined by line feeds."""
    fields: dict[str, str] = field(default_factory=dict)
    """`event`, `id` and `retry` where they are there."""


@dataclass(slots=True)
class Whole:
    """What is complete after a chunk."""

    events: list[ServerEvent]
    data: bytes
    """The bytes of these events, as they came."""


class Events:
    """Splits the body of a `text/event-stream`; bytes of an event that is not complete yet are held back."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._tail = b""

    def feed(self, chunk: bytes) -> Whole:
        """Take bytes, split anywhere, and return the events that are complete now."""
        seam = self._tail + chunk
        ends = [found.end() for found in _END.finditer(seam)]
        if not ends:
            self._rest.append(chunk)
            self._tail = seam[-3:]
            return Whole([], b"")
        cut = ends[-1] - len(self._tail)
        whole = b"".join((*self._rest, chunk[:cut]))
        self._rest = [chunk[cut:]] if cut < len(chunk) else []
        self._tail = chunk[cut:][-3:]
        return Whole([_event(block) for block in _END.split(whole) if block.strip()], whole)

    def rest(self) -> bytes:
        """Return and forget what never became a whole event."""
        rest, self._rest, self._tail = b"".join(self._rest), [], b""
        return rest


def _event(block: bytes) -> ServerEvent:
    event = ServerEvent()
    data = []
    for line in _LINE.split(block):
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            data.append(value)
        elif name in (b"event", b"id", b"retry"):
            event.fields[name.decode()] = value.decode("utf-8", "replace")
    event.data = b"\n".join(data)
    if event.fields == {"event": "message"}:
        event.fields = {}
    return event


__all__ = ["Events", "ServerEvent", "Whole"]
