"""How far an archive may go."""

from __future__ import annotations

from worldtape.errors import RefusedError

LARGEST = 64 << 30
"""Most bytes that one archive may unpack to, all its members together."""
RATIO = 200
"""An archive may unpack to this many times its own bytes …"""
FREE = 64 << 20
"""… beyond these."""
MEMBERS = 1_000_000
DEEPEST = 1
"""Archives inside an archive are opened; archives inside those are not."""


class Meter:
    """Counts what an archive unpacks to, its inner archives included.

    Args:
        parent: the meter of the archive it lies in.
    """

    def __init__(self, parent: Meter | None = None) -> None:
        self._parent = parent
        self._total = 0

    def add(self, count: int, *, unpacked: int, packed: int) -> None:
        """Count `count` more bytes.

        Args:
            count: bytes just unpacked.
            unpacked: bytes of this stream so far.
            packed: the compressed bytes that they came from.

        Raises:
            RefusedError: that is too much.
        """
        if unpacked > FREE and unpacked > RATIO * packed:
            raise RefusedError(
                f"it unpacks to more than {RATIO} times its size", fix="unpack it yourself if it is meant so"
            )
        self.total(count)

    def total(self, count: int) -> None:
        """Count bytes on disk."""
        self._total += count
        if self._total > LARGEST:
            raise RefusedError(
                f"it unpacks to more than {LARGEST >> 30} GiB", fix="unpack it yourself if it is meant so"
            )
        if self._parent is not None:
            self._parent.total(count)
