"""Where a tape lies."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class TapeRef:
    """One recording of a lake."""

    trajectory_id: str
    """Of a pack that has lost its index the name of its file."""
    path: str
    """Where it can be opened: a local path, or a URL that fsspec understands."""
    sealed: bool
    """False while it is written, and after a crash."""
    name: str
    """Its path relative to the lake; in a pack `<pack>/<trajectory_id>`."""
    domain: str | None = None
    """Where it is known without opening the tape."""
    bytes: int | None = None
    """Likewise; of a packed tape without compression."""
    place: tuple[str, int] = ("", 0)
    """The pack it stands in, and where: tapes that are read in this order are read fastest."""
