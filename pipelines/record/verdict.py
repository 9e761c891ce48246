"""What a verifier said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Verdict:
    """The reward of a trajectory, and what it rests on."""

    reward: float | None = None
    """1.0: solved; 0.0: not; None: nobody can know."""
    seen: Mapping[str, Any] = field(default_factory=dict)
    """What the verifier answered, kept on the tape in a notice `verifier`: plain JSON; empty where there is none."""
