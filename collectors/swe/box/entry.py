"""One file as it lies in a box."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Entry:
    """A name and what is there; links are not followed."""

    name: str
    """Of `list`: the bare name; of `walk`: relative to the folder; of `stat`: as asked. Undecodable bytes are
    surrogates (`os.fsdecode`)."""
    kind: Literal["file", "dir", "link", "other"]
    size: int
    """Bytes."""
    mode: int
    """Permission bits."""
    mtime_ns: int


__all__ = ["Entry"]
