"""The unit of everything: state, action, observation, state."""

from typing import Any

from pydantic import Field

from worldtape.schemas._model import Model
from worldtape.schemas.action import Action
from worldtape.schemas.domain import Domain
from worldtape.schemas.fault import Fault
from worldtape.schemas.lossiness import Lossiness
from worldtape.schemas.observation import Observation
from worldtape.schemas.outcome import Outcome
from worldtape.schemas.timing import Timing


class Transition(Model):
    """One action and what the environment answered."""

    transition_id: str
    """`<trajectory_id>:<step>`."""
    trajectory_id: str
    step: int
    """From 0, contiguous in a trajectory."""
    domain: Domain
    action: Action
    observation: Observation | None
    """Null when the recording ends before it."""
    outcome: Outcome
    timing: Timing
    state_before: dict[str, Any] | None = None
    """Probes after the step before; null when a probe failed, never invented."""
    state_after: dict[str, Any] | None = None
    snapshot: str | None = None
    fault: Fault | None = None
    reward: float | None = None
    lossiness: tuple[Lossiness, ...] = ()
    extra: dict[str, Any] = Field(default_factory=dict)
    """Unknown fields, kept."""
