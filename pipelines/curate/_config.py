"""The settings of curation."""

from __future__ import annotations

import math
from typing import Any

from pydantic import Field, model_validator

from worldtape.errors import ConfigError
from worldtape.filters import FILTERS, Filter
from worldtape.filters.empty_action import EmptyAction
from worldtape.filters.environment_failure import EnvironmentFailure
from worldtape.filters.failed_start import FailedStart
from worldtape.filters.few_turns import FewTurns
from worldtape.filters.infra_error import InfraError
from worldtape.filters.no_change import NoChange
from worldtape.filters.no_observation import NoObservation
from worldtape.filters.render_mismatch import RenderMismatch
from worldtape.filters.retry_cycle import RetryCycle
from worldtape.filters.turn_classes import TurnClasses
from worldtape.filters.undeclared_tool import UndeclaredTool
from worldtape.schemas.settings import Settings

_OWN = (
    *("failed_start", "few_turns", "undeclared_tool", "environment_failure"),
    *("infra_error", "no_observation", "empty_action", "retry_cycle", "no_change", "render_mismatch"),
)


POOL_NAMES = ("cpt", "sft", "rl", "bench")
"""In the order in which their shares are laid end to end."""


class RulesConfig(Settings):
    """The rule filters, in the order in which they are asked; the first that rejects gives the reason. Null: not asked.

    Filters of whole trajectories come first: a turn of a rejected trajectory leaves with it.
    """

    failed_start: FailedStart | None = FailedStart()
    few_turns: FewTurns | None = FewTurns()
    undeclared_tool: UndeclaredTool | None = UndeclaredTool()
    environment_failure: EnvironmentFailure | None = EnvironmentFailure()
    infra_error: InfraError | None = InfraError()
    no_observation: NoObservation | None = NoObservation()
    empty_action: EmptyAction | None = EmptyAction()
    retry_cycle: RetryCycle | None = RetryCycle()
    no_change: NoChange | None = NoChange()
    render_mismatch: RenderMismatch | None = None
    plugins: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Filters of other packages (entry points `worldtape.filters`): name to settings."""

    def filters(self) -> list[Filter]:
        """Return the filters that are asked, in order.

        Raises:
            NotFoundError: no such plugin is installed.
        """
        own: list[Filter] = [found for name in _OWN if (found := getattr(self, name)) is not None]
        return own + [FILTERS[name](**settings) for name, settings in self.plugins.items()]


class DuplicatesConfig(Settings):
    """Exact duplicates."""

    trajectories: bool = True
    """Keep one of all trajectories with the same first observation, actions and observations, and none that is only the
    beginning of another one."""
    cap: int | None = Field(8, ge=1)
    """Of turns with the same observation before, action and observation, keep at most this many; null: all."""


class PoolsConfig(Settings):
    """Who gets what. Trajectories of one task, or of one lineage, always go together."""

    shares: dict[str, float] = Field(default={"cpt": 0.6, "sft": 0.3, "rl": 0.05, "bench": 0.05})
    """Share of the groups for each pool; the shares are scaled to a sum of 1. Their order says nothing."""
    validation: float = Field(0.05, ge=0, lt=1)
    """Share of the groups of a pool that goes to its validation split."""
    seed: int = 0
    """Another seed, another partition."""

    @model_validator(mode="after")
    def _sane(self) -> PoolsConfig:
        unknown = set(self.shares) - set(POOL_NAMES)
        if unknown or min(self.shares.values(), default=0) < 0 or not 0 < sum(self.shares.values()) < math.inf:
            raise ConfigError("shares are numbers ≥ 0 for cpt, sft, rl and bench, at least one above 0")
        return self


class CurateConfig(Settings):
    """Everything that curation can be told."""

    rules: RulesConfig = RulesConfig()
    duplicates: DuplicatesConfig = DuplicatesConfig()
    turn_classes: TurnClasses = TurnClasses()
    pools: PoolsConfig = PoolsConfig()
