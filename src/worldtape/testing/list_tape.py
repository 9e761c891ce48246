"""A tape in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldtape.schemas import End, EventKind, new_id


@dataclass(frozen=True, slots=True)
class ListEvent:
    """One event; `payload` holds the bytes of a data event."""

    seq: int
    kind: str
    step: int | None
    data: dict[str, Any]
    payload: bytes | None = None


class ListTape:
    """Follows `Tape`; what was written stands in `events`.

    Attributes:
        events: everything written, in order.
        syncs: the `seq` that each `sync` came before.
        sealed: the end, once there is one.
        closed: whether it was let go of.
    """

    def __init__(self, trajectory_id: str | None = None) -> None:
        self.trajectory_id = trajectory_id or new_id()
        self.events: list[ListEvent] = []
        self.blobs: dict[str, bytes] = {}
        self.syncs: list[int] = []
        self.sealed: End | None = None
        self.closed = False

    def __call__(self, channel: str, data: bytes, mono_ns: int) -> None:
        """Keep bytes."""
        event = ListEvent(len(self.events), EventKind.DATA, None, {"channel": channel, "mono_ns": mono_ns}, bytes(data))
        self._add(event)

    def append(self, kind: str, data: Mapping[str, Any], *, step: int | None = None) -> int:
        """Keep one event and return its `seq`."""
        return self._add(ListEvent(len(self.events), str(kind), step, dict(data)))

    def blob(self, data: bytes) -> str:
        """Keep `data` in `blobs`."""
        ref = f"sha256:{hashlib.sha256(data).hexdigest()}"
        self.blobs[ref] = data
        return ref

    def sync(self) -> None:
        """Note that durability was asked for."""
        self.syncs.append(len(self.events))

    def seal(self, end: End) -> None:
        """Keep the end."""
        self.append(EventKind.END, end.to_dict())
        self.sealed = end
        self.closed = True

    def close(self) -> None:
        """Let go."""
        self.closed = True

    def kinds(self) -> list[str]:
        """Return the kinds of the events, in order."""
        return [event.kind for event in self.events]

    def stream(self, channel: str) -> bytes:
        """Return all bytes of one channel."""
        return b"".join(event.payload or b"" for event in self.events if event.data.get("channel") == channel)

    def _add(self, event: ListEvent) -> int:
        if self.closed:
            raise ValueError("the tape is closed")
        self.events.append(event)
        return event.seq


__all__ = ["ListEvent", "ListTape"]
