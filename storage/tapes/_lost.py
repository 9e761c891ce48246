"""What could not be written."""

from __future__ import annotations

from collections import Counter
from typing import Any


class Lost:
    """Counts what a full disk kept off the tape, for the notice that the next whole write brings."""

    def __init__(self) -> None:
        self._events: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return bool(self._events)

    def add(self, kind: str, channel: str | None = None, size: int = 0) -> None:
        """Count one event that was not written."""
        self._events[str(kind)] += 1
        if channel is not None:
            self._bytes[channel] += size

    def notice(self) -> dict[str, Any]:
        """Return the payload of the notice: events per kind, bytes per channel."""
        return {"code": "write_failed", "events": dict(self._events), "bytes": dict(self._bytes)}
