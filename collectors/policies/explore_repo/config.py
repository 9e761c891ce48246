"""Settings of the explorer of repositories."""

from __future__ import annotations

from pydantic import Field

from worldtape.collectors.policies._config import PolicyConfig


class ExploreRepoConfig(PolicyConfig):
    """How to explore; the same seed chooses the same calls where the environment answers the same."""

    seed: int = 0
    """Decides everything that the environment does not; in a job file, left out: the item's own."""
    steps: int | None = Field(default=None, ge=1)
    """End after so many calls; null leaves it to the recorder's limit."""
    failing: float = Field(default=0.2, ge=0, le=1)
    """The share of calls that should end in an error; tests that fail count."""
    changing: float = Field(default=0.4, ge=0, le=1)
    """The share of calls that should change the repository."""
    test_command: str | None = None
    """How tests are run; null: as the environment says, else by pytest."""
    slow: bool = True
    """Whether some commands are run that end only by their time limit of a second or two."""
