"""Settings of the explorer of web pages."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from worldtape.collectors.policies._config import PolicyConfig

Dialect = Literal["browsergym", "playwright-mcp"]


class ExploreWebConfig(PolicyConfig):
    """How to explore; the same seed chooses the same actions where the pages are the same."""

    seed: int = 0
    """Decides everything that the pages do not; in a job file, left out: the item's own."""
    steps: int | None = Field(default=None, ge=1)
    """End after so many actions; null leaves it to the recorder's limit."""
    failing: float = Field(default=0.2, ge=0, le=1)
    """The share of actions that should fail."""
    patient: bool = True
    """Also err in ways that a browser notices only when it has waited in vain, such as a click on what is disabled."""
    dialect: Dialect | None = None
    """How actions are worded; null: as it goes with the environment's renderer."""
    accounts: tuple[tuple[str, str], ...] = ()
    """Names and passwords to sign in with, beside those that a page gives away itself."""
