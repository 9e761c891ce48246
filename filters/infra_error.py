"""Turns in which our own side failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from worldtape.filters._filter import Filter
from worldtape.schemas import Status

if TYPE_CHECKING:
    import polars as pl


class InfraError(Filter):
    """Rejects what is no dynamics of the environment: the sandbox died, the recorder failed."""

    reason: ClassVar[str] = "infra_error"

    def keep(self) -> pl.Expr:
        """Return whether our side held."""
        import polars as pl

        return pl.col("status") != str(Status.INFRA_ERROR)
