"""What a recovery of tapes did."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Repair:
    """One tape that was not as its writer would have left it."""

    trajectory_id: str
    path: Path
    """Where it lies now."""
    what: str
    """`recovered` (it was interrupted), `sealed` (it was whole), `set_aside` (no header), `leftover` (sealed too)."""
    events: int = 0
    steps: int = 0
    torn_bytes: int = 0
    """Moved to `<trajectory_id>.torn`."""
    damaged: bool = False
    """More was set aside than one unfinished event: only a crash of the machine or a bad disk does that."""

    def __str__(self) -> str:
        parts = [f"{self.trajectory_id}: {self.what.replace('_', ' ')}"]
        if self.events:
            parts.append(f"{self.events} events, {self.steps} steps")
        if self.torn_bytes:
            parts.append(f"{self.torn_bytes} bytes {'after damage ' if self.damaged else ''}moved to {_torn(self)}")
        return ", ".join(parts)


@dataclass(slots=True)
class TapesReport:
    """Counts, one entry per repaired tape, one line per tape that could not be repaired."""

    sealed: int = 0
    """Tapes that were sealed already; they are not touched."""
    locked: int = 0
    """Tapes that somebody is writing; they are not touched."""
    temporary: int = 0
    """Half-written files of writers that are gone, removed."""
    repaired: list[Repair] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def _torn(repair: Repair) -> str:
    return f"{repair.trajectory_id}.torn"
