"""Observations that do not render as they did live."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from worldtape.filters._filter import Filter
from worldtape.schemas import Lossiness

if TYPE_CHECKING:
    import polars as pl


class RenderMismatch(Filter):
    """Rejects a turn whose stored bytes render to another text than the policy was shown."""

    reason: ClassVar[str] = "render_mismatch"

    def keep(self) -> pl.Expr:
        """Return whether both texts are the same."""
        import polars as pl

        return ~pl.col("lossiness").list.contains(str(Lossiness.RENDER_MISMATCH)).fill_null(value=False)
