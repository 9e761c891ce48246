"""Settings of the explorer of desktops."""

from __future__ import annotations

from pydantic import Field

from worldtape.collectors.policies._config import PolicyConfig


class ExploreDesktopConfig(PolicyConfig):
    """How to explore; the same seed chooses the same actions where the screens are the same."""

    seed: int = 0
    """Decides everything that the screens do not; in a job file, left out: the item's own."""
    steps: int | None = Field(default=None, ge=1)
    """End after so many actions; null leaves it to the recorder's limit."""
    failing: float = Field(default=0.16, ge=0, le=1)
    """The share of actions that should fail."""
    programs: tuple[tuple[str, ...], ...] = ()
    """Commands (program and arguments) that may be started when no window is open."""
