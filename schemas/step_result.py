"""What an environment hands back after one action."""

from typing import Any

from worldtape.schemas._model import Model
from worldtape.schemas.lossiness import Lossiness
from worldtape.schemas.observation import Observation
from worldtape.schemas.outcome import Outcome
from worldtape.schemas.timing import Timing


class StepResult(Model):
    """The answer of the environment, and the state it is in now."""

    observation: Observation
    outcome: Outcome
    timing: Timing
    state_after: dict[str, Any] | None = None
    snapshot: str | None = None
    reward: float | None = None
    done: bool = False
    """True when the environment takes no further action: the shell was left, the container died."""
    lossiness: tuple[Lossiness, ...] = ()
