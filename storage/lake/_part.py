"""One Parquet file of a lake."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A fixed set of trajectories, as rows of one table."""

    table: str
    """`trajectories`, `transitions`, or a note's stage."""
    domain: str | None
    """Null for notes."""
    part_id: str
    path: str
    """Where it can be opened: a local path, or a URL that fsspec understands."""
    name: str
    """Its path relative to the lake."""
