"""What a projection did."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class ProjectReport:
    """Every recording of the lake is counted once: `recordings == trajectories + len(live) + len(set_aside)`."""

    recordings: int = 0
    """Tapes in the lake."""
    trajectories: int = 0
    """Recordings that stand in the tables now."""
    transitions: int = 0
    parts: int = 0
    """Parts of the tables."""
    projected: int = 0
    """Parts written by this run; the others were there already."""
    interrupted: int = 0
    """Trajectories without an end."""
    unknown: int = 0
    """Transitions whose result is not on the tape."""
    mismatched: int = 0
    """Observations that do not render as they did live."""
    live: list[str] = field(default_factory=list)
    """Recordings that somebody still writes; they are left for the next run."""
    set_aside: dict[str, str] = field(default_factory=dict)
    """Recordings that cannot be projected, and why."""
    workers: Counter[str] = field(default_factory=Counter)
    """Process to number of parts, for those written by this run."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return asdict(self) | {"workers": dict(self.workers)}
