"""Trajectories that are too short to teach anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from worldtape.filters._filter import Filter, Level
from worldtape.schemas import Status

if TYPE_CHECKING:
    import polars as pl


class FewTurns(Filter):
    """Rejects a trajectory with fewer turns than `minimum`; turns without an answer of the environment do not count."""

    level: ClassVar[Level] = "trajectory"
    reason: ClassVar[str] = "few_turns"

    minimum: int = Field(2, ge=1)
    """The published recipe says 2."""

    def keep(self) -> pl.Expr:
        """Return whether there are enough."""
        return self.score() >= self.minimum

    def score(self) -> pl.Expr:
        """Return how many there are."""
        import polars as pl

        answered = pl.col("observation_text").is_not_null() & (pl.col("status") != str(Status.INFRA_ERROR))
        return answered.fill_null(value=False).sum().over("trajectory_id").cast(pl.Float64)
