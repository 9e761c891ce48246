"""Recordings that never began."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from worldtape.filters._filter import Filter, Level
from worldtape.schemas import EndStatus

if TYPE_CHECKING:
    import polars as pl


class FailedStart(Filter):
    """Rejects a trajectory whose environment never came up: it failed before there was anything to see."""

    level: ClassVar[Level] = "trajectory"
    reason: ClassVar[str] = "failed_start"

    def keep(self) -> pl.Expr:
        """Return whether there was a first observation, or at least no failure."""
        import polars as pl

        return ~((pl.col("end_status") == str(EndStatus.FAILED)) & pl.col("initial_text").is_null())
