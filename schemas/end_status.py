"""How a trajectory ended."""

from enum import StrEnum


class EndStatus(StrEnum):
    """The last word of a tape."""

    COMPLETED = "completed"
    """The policy said it was done, or its actions were used up."""
    LIMIT = "limit"
    """A limit on steps, time or cost ended it."""
    ENV_ENDED = "env_ended"
    """The environment ended by itself: the shell was left, the game is over."""
    FAILED = "failed"
    """Our side failed: the start, the sandbox or the policy."""
    INTERRUPTED = "interrupted"
    """The recorder was stopped; there is no end event."""
