"""What a browser asked for and was answered, as `collectors.web.network` put it on the tape."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.schemas import EventKind
from worldtape.schemas.exporter import RecordedTape

LINES = "network"
_BODIES = "body"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its response, or with the reason why there was none."""

    step: int | None
    """The action that it came with; null: before the first."""
    ended_us: int
    """Microseconds since 1970 UTC when it was over; when it began is not on the tape."""
    line: dict[str, Any]

    @property
    def is_document(self) -> bool:
        """Whether a page or a frame was asked for."""
        return self.line.get("type") == "document"


class Network:
    """The exchanges of a tape in the order in which they ended; bodies are read when asked for.

    Raises:
        FormatError: the tape is damaged.
    """

    def __init__(self, tape: RecordedTape) -> None:
        self.exchanges: list[Exchange] = []
        self._tape = tape
        self._bodies: dict[str, Any] = {}
        for event in tape.events():
            channel = event.data.get("channel") if event.kind == EventKind.DATA else None
            if channel == LINES:
                self.exchanges.append(Exchange(event.step, event.wall_us, parse(tape.payload(event))))
            elif channel == _BODIES:
                ref = event.data.get("blob") or f"sha256:{hashlib.sha256(tape.payload(event)).hexdigest()}"
                self._bodies[ref] = event

    def body(self, exchange: Exchange) -> bytes | None:
        """Return the body of the response, decoded as the page got it; null: the tape does not have it.

        Raises:
            FormatError: its blob is missing or damaged.
        """
        told = exchange.line.get("body")
        if told is None:
            return None
        event = self._bodies.get(f"sha256:{told['sha256']}")
        if event is None:
            return None if told["bytes"] else b""
        return self._tape.payload(event)


def logged(tape: RecordedTape) -> bool:
    """Tell whether any exchange is on the tape."""
    return any(event.kind == EventKind.DATA and event.data.get("channel") == LINES for event in tape.events())
