"""Environments that broke down or shut the agent out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from worldtape.filters._filter import Filter, Level
from worldtape.schemas import Domain, Status

if TYPE_CHECKING:
    import polars as pl


class EnvironmentFailure(Filter):
    """Rejects a trajectory in which the environment failed: it shut the agent out, or little but error pages came.

    A turn failed where the environment broke (`env_error`), showed nothing, or showed an HTTP error page. Some of
    them are answers that the same site will give again, and are kept with the rest.
    """

    level: ClassVar[Level] = "trajectory"
    reason: ClassVar[str] = "environment_failure"

    domains: tuple[Domain, ...] = (Domain.WEB, Domain.ANDROID, Domain.OS)
    """Domains with a graphical interface; elsewhere a failure is an answer like any other, and is kept."""
    shut_out: tuple[str, ...] = (r"(?i)\bcaptcha\b", r"(?i)verify (that )?you are (a )?human")
    """Regular expressions (Rust's syntax) that tell a page which lets no agent in; one such page is enough."""
    patterns: tuple[str, ...] = (
        r"(?i)\b(403 forbidden|404 not found|429 too many requests)\b",
        r"(?i)\b(500 internal server error|502 bad gateway|503 service unavailable|504 gateway time-?out)\b",
    )
    """Regular expressions that tell an HTTP error page, where the recording does not tell (`http_error`)."""
    tolerated: float = Field(0.5, ge=0, le=1)
    """The share of failed turns that is put up with; 0: the published recipe to the letter."""

    def keep(self) -> pl.Expr:
        """Return whether the agent was let in, and few enough turns failed."""
        return self.score() <= self.tolerated

    def score(self) -> pl.Expr:
        """Return the share of turns that failed; 1 where the agent was shut out."""
        import polars as pl

        judged = pl.col("domain").is_in([str(domain) for domain in self.domains])
        text, first = (pl.when(judged).then(pl.col(name)) for name in ("observation_text", "initial_text"))
        failed = (pl.col("status") == str(Status.ENV_ERROR)) | (pl.col("error_type") == "http_error")
        failed |= (text.str.strip_chars() == "") | _any_of(self.patterns, text)
        share = (failed & judged).fill_null(value=False).mean()
        out = (_any_of(self.shut_out, text) | _any_of(self.shut_out, first)).any().cast(pl.Float64)
        return pl.max_horizontal(share, out).over("trajectory_id")


def _any_of(patterns: tuple[str, ...], text: pl.Expr) -> pl.Expr:
    import polars as pl

    return pl.any_horizontal(pl.lit(value=False), *(text.str.contains(one) for one in patterns)).fill_null(value=False)
