"""What ended the wait before an observation."""

from enum import StrEnum


class SettledBy(StrEnum):
    """Why the observation was taken at this moment."""

    PROMPT = "prompt"
    """The shell is back at its prompt."""
    INPUT = "input"
    """A program other than the shell waits for input."""
    EVENT = "event"
    """An answer, a page load or another event came."""
    REST = "rest"
    """Nothing changed for a stated time."""
    DURATION = "duration"
    """The action asked to wait exactly that long."""
    DEADLINE = "deadline"
    """The time limit ran out first."""
