"""What became of one item."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """The last attempt of an item, in plain values: it travels between processes."""

    key: str
    task: str
    repeat: int
    trajectory_id: str | None
    status: str
    """An end status."""
    reason: str | None = None
    reward: float | None = None
    steps: int = 0
    attempts: int = 1
    """Attempts of this run, this one included."""
    worker: str = ""
    """Host and process that recorded it."""
