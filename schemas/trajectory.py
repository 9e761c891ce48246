"""One recording, as a whole."""

from typing import Any

from pydantic import Field

from worldtape.schemas._model import Model
from worldtape.schemas.domain import Domain
from worldtape.schemas.end_status import EndStatus
from worldtape.schemas.environment_spec import EnvironmentSpec
from worldtape.schemas.initial_state import InitialState
from worldtape.schemas.lineage import Lineage
from worldtape.schemas.observation import Observation
from worldtape.schemas.policy_spec import PolicySpec
from worldtape.schemas.source import Source
from worldtape.schemas.task import Task


class Trajectory(Model):
    """What was asked, what was found, and how it ended."""

    trajectory_id: str
    schema_version: str
    domain: Domain
    environment: EnvironmentSpec
    """As found, where the environment started; else as asked."""
    task: Task | None = None
    policy: PolicySpec
    source: Source
    initial: Observation | None = None
    """The observation after reset."""
    initial_state: InitialState | None = None
    transitions: int
    """How many there are."""
    end_status: EndStatus
    end_reason: str | None = None
    reward: float | None = None
    lineage: Lineage = Lineage()
    started_at: int | None = None
    """Microseconds since 1970 UTC."""
    ended_at: int | None = None
    tape: str | None = None
    """The tape's path in the lake."""
    extra: dict[str, Any] = Field(default_factory=dict)
