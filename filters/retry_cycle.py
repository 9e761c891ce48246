"""The same mistake again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from worldtape.filters._filter import Filter
from worldtape.schemas import Status

if TYPE_CHECKING:
    import polars as pl


class RetryCycle(Filter):
    """Rejects failed turns that were only repeated; failures as such are kept.

    A turn leaves where it failed and the next turn does the very same again (so that the last turn of a cycle, failed
    or not, stays), or where its action was garbage that was never tried and another turn follows. The turn after a gap
    carries its current state, so that the chain holds.
    """

    reason: ClassVar[str] = "retry_cycle"

    failed: tuple[Status, ...] = (Status.TOOL_ERROR, Status.ENV_ERROR, Status.PROTOCOL_ERROR)
    """What counts as a failure."""
    garbage: tuple[Status, ...] = (Status.REJECTED, Status.NOT_EXECUTED)
    """What was never tried: the answer is the harness's, not the environment's."""

    def keep(self) -> pl.Expr:
        """Return whether the turn is more than a failed try that was repeated."""
        import polars as pl

        action = pl.struct("action_kind", "action_text")
        again = (action == action.shift(-1).over("trajectory_id")) & self._followed()
        repeated = pl.col("status").is_in([str(status) for status in self.failed]) & again
        untried = pl.col("status").is_in([str(status) for status in self.garbage]) & self._followed()
        return ~(repeated | untried)

    def _followed(self) -> pl.Expr:
        import polars as pl

        return pl.col("step").shift(-1).over("trajectory_id").is_not_null()
