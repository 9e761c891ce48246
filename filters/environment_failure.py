"""Environments that broke down or shut the agent out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from worldtape.filters._filter import Filter, Level
from worldtape.schemas import Domain, Status

if TYPE_CHECKING:
    import polars as pl


class EnvironmentFailure(Filter):
    """Rejects a trajectory on a screen where the environment failed: no state, a CAPTCHA, an HTTP error page."""

    level: ClassVar[Level] = "trajectory"
    reason: ClassVar[str] = "environment_failure"

    domains: tuple[Domain, ...] = (Domain.WEB, Domain.ANDROID, Domain.OS)
    """Domains with a graphical interface; elsewhere a failure is an answer like any other, and is kept."""
    patterns: tuple[str, ...] = (
        r"(?i)\bcaptcha\b",
        r"(?i)verify (that )?you are (a )?human",
        r"(?i)\b(403 forbidden|404 not found|429 too many requests)\b",
        r"(?i)\b(500 internal server error|502 bad gateway|503 service unavailable|504 gateway time-?out)\b",
    )
    """Regular expressions (Rust's syntax) that tell a failed page."""
    tolerated: float = Field(0.0, ge=0, le=1)
    """The share of failed turns that is put up with."""

    def keep(self) -> pl.Expr:
        """Return whether few enough turns failed."""
        return self.score() <= self.tolerated

    def score(self) -> pl.Expr:
        """Return the share of turns that failed."""
        import polars as pl

        judged = pl.col("domain").is_in([str(domain) for domain in self.domains])
        text = pl.when(judged).then(pl.col("observation_text"))
        failed = pl.col("status") == str(Status.ENV_ERROR)
        failed |= text.str.strip_chars() == ""
        for pattern in self.patterns:
            failed |= text.str.contains(pattern)
        return (failed & judged).fill_null(value=False).mean().over("trajectory_id")
