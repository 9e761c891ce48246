"""One line of a tape."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Event(NamedTuple):
    """What happened, and when."""

    seq: int
    """From 0, contiguous in a tape."""
    kind: str
    """One of `EventKind`, or a kind that a newer minor version added."""
    wall_us: int
    """Microseconds since 1970 UTC; may step back."""
    mono_ns: int
    """Nanoseconds since the header; never decreases."""
    step: int | None
    data: dict[str, Any]
    extra: Mapping[str, Any] = MappingProxyType({})
    """Unknown members of the line, kept."""
