"""What was written, and why the rest was not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

SHOWN = 100
"""Trajectories that were left out and are named in a report; all are counted."""


@dataclass(frozen=True, slots=True, order=True)
class LeftOut:
    """A trajectory that was not written."""

    trajectory_id: str
    reason: str
    failed: bool = False
    """It should have been written: its tape is damaged, or the exporter has a fault."""


@dataclass(slots=True)
class ExportReport:
    """Every trajectory that was asked for is counted once: `asked == trajectories + sum(left_out.values())`."""

    format: str
    asked: int = 0
    trajectories: int = 0
    transitions: int = 0
    """Those that were written."""
    skipped: int = 0
    """Transitions of written trajectories that the format has no place for, such as one without an observation."""
    files: int = 0
    bytes: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """Reason to number of trajectories."""
    failed: int = 0
    """Those among the left out that should have been written."""
    named: list[LeftOut] = field(default_factory=list)
    """The first hundred of them, by id."""

    @property
    def ok(self) -> bool:
        """Whether everything that fits the format was written."""
        return not self.failed

    def leave_out(self, what: LeftOut) -> None:
        """Count a trajectory that is not written."""
        self.left_out[what.reason if not what.failed else "failed"] += 1
        self.failed += what.failed
        if len(self.named) < SHOWN:
            self.named.append(what)

    def add(self, other: ExportReport) -> None:
        """Count what `other` counted."""
        for name in ("asked", "trajectories", "transitions", "skipped", "files", "bytes", "failed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.left_out += other.left_out
        self.named = sorted([*self.named, *other.named])[:SHOWN]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        names = ("format", "asked", "trajectories", "transitions", "skipped", "files", "bytes", "failed")
        return {name: getattr(self, name) for name in names} | {
            "left_out": dict(sorted(self.left_out.items())),
            "named": [{"trajectory_id": one.trajectory_id, "reason": one.reason} for one in self.named],
        }
