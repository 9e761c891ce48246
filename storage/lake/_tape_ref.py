"""Where a tape lies."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class TapeRef:
    """One recording of a lake."""

    trajectory_id: str
    path: str
    """Where it can be opened: a local path, or a URL that fsspec understands."""
    sealed: bool
    """False while it is written, and after a crash."""
    name: str
    """Its path relative to the lake."""
