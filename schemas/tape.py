"""The seam between a recorder and the place where a tape lies."""

from collections.abc import Mapping
from typing import Any, Protocol

from worldtape.schemas.end import End


class Tape(Protocol):
    """An append-only recording that is being written. It is itself a `Sink`."""

    trajectory_id: str

    def __call__(self, channel: str, data: bytes, mono_ns: int) -> None:
        """Record bytes that were read (see `Sink`)."""
        ...

    def append(self, kind: str, data: Mapping[str, Any], *, step: int | None = None) -> int:
        """Write one event and return its `seq`."""
        ...

    def blob(self, data: bytes) -> str:
        """Keep `data` as a blob and return its `sha256:…`; it exists before any event names it."""
        ...

    def sync(self) -> None:
        """Make everything written so far survive a crash of the machine (a setting may make this a no-op)."""
        ...

    def seal(self, end: End) -> None:
        """Write the end, compress the tape and move it to its place."""
        ...

    def close(self) -> None:
        """Let go of the tape; without `seal` it stays an interrupted recording."""
        ...
