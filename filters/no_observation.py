"""Turns whose answer nobody saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from worldtape.filters._filter import Filter
from worldtape.schemas import Lossiness, Status

if TYPE_CHECKING:
    import polars as pl


class NoObservation(Filter):
    """Rejects a turn without an observation, or with one whose result is not on the tape."""

    reason: ClassVar[str] = "no_observation"

    def keep(self) -> pl.Expr:
        """Return whether the answer is known."""
        import polars as pl

        whole = ~pl.col("lossiness").list.contains(str(Lossiness.TAIL_MISSING)).fill_null(value=False)
        return pl.col("observation_text").is_not_null() & (pl.col("status") != str(Status.UNKNOWN)) & whole
