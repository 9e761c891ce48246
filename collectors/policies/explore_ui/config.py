"""Settings of the explorer of Android screens."""

from __future__ import annotations

from pydantic import Field

from worldtape.collectors.policies._config import PolicyConfig


class ExploreUiConfig(PolicyConfig):
    """How to explore; the same seed chooses the same actions where the screens are the same."""

    seed: int = 0
    """Decides everything that the screens do not; in a job file, left out: the item's own."""
    steps: int | None = Field(default=None, ge=1)
    """End after so many actions; null leaves it to the recorder's limit."""
    failing: float = Field(default=0.2, ge=0, le=1)
    """The share of actions that should fail."""
    by_point: float = Field(default=0.1, ge=0, le=1)
    """The share of aimed actions that name a point; others name an index, or what is left of them a selector."""
    by_selector: float = Field(default=0.08, ge=0, le=1)
    """The share of aimed actions that name a selector."""
    apps: tuple[str, ...] = ()
    """Names of apps that may be opened, beside those whose names were on the screen."""
