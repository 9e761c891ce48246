"""Turns after which everything looks as before."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from worldtape.filters._filter import Filter
from worldtape.schemas import Domain, Status

if TYPE_CHECKING:
    import polars as pl


class NoChange(Filter):
    """Rejects a turn after which nothing is different; a failed action whose error is told is different."""

    reason: ClassVar[str] = "no_change"

    domains: tuple[Domain, ...] = (Domain.WEB, Domain.ANDROID, Domain.OS)
    """The recipe names the graphical domains; add `terminal` to drop screens that stay the same there as well."""
    by: Literal["either", "text", "state"] = "either"
    """`text`: the observation is the one that stood before the action, to the letter; `state`: the environment says
    that its state is the same (`state_after.changed`), whatever is told of errors; where it says nothing, as `text`;
    `either`: one of the two, but what only the state says counts for nothing where the action failed: its error is
    told."""

    def keep(self) -> pl.Expr:
        """Return whether something changed."""
        import polars as pl

        judged = pl.col("domain").is_in([str(domain) for domain in self.domains])
        told = pl.col("observation_text") != pl.col("before_text")
        stated = pl.coalesce("changed", told)
        failed = pl.col("status") != str(Status.OK)
        changed = {"text": told, "state": stated, "either": told & (stated | failed)}[self.by]
        return ~judged | changed.fill_null(value=True)
