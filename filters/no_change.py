"""Turns after which everything looks as before."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from worldtape.filters._filter import Filter
from worldtape.schemas import Domain

if TYPE_CHECKING:
    import polars as pl


class NoChange(Filter):
    """Rejects a turn whose observation is the one that stood before it, to the letter."""

    reason: ClassVar[str] = "no_change"

    domains: tuple[Domain, ...] = (Domain.WEB, Domain.ANDROID, Domain.OS)
    """The recipe names the graphical domains; add `terminal` to drop screens that stay the same there as well."""

    def keep(self) -> pl.Expr:
        """Return whether something changed."""
        import polars as pl

        judged = pl.col("domain").is_in([str(domain) for domain in self.domains])
        return ~(judged & (pl.col("observation_text") == pl.col("before_text")).fill_null(value=False))
