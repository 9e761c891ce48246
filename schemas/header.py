"""The first event of a tape: what was asked."""

from typing import Any

from pydantic import Field

from worldtape.schemas._model import Model
from worldtape.schemas.domain import Domain
from worldtape.schemas.environment_spec import EnvironmentSpec
from worldtape.schemas.lineage import Lineage
from worldtape.schemas.policy_spec import PolicySpec
from worldtape.schemas.source import Source
from worldtape.schemas.task import Task
from worldtape.schemas.version import SCHEMA_VERSION


class Header(Model):
    """Written before anything starts, so that a start that fails is a tape too."""

    schema_version: str = SCHEMA_VERSION
    trajectory_id: str
    domain: Domain
    environment: EnvironmentSpec
    task: Task | None = None
    policy: PolicySpec
    source: Source = Source()
    lineage: Lineage = Lineage()
    recorder: dict[str, str] = Field(default_factory=dict)
    """Our name and version, those of Python and the platform."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Whatever a job wants to find again: job name, repeat, attempt."""
