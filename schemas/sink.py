"""How bytes reach a tape."""

from typing import Protocol


class Sink(Protocol):
    """Takes every byte an environment reads, before anything else uses it."""

    def __call__(self, channel: str, data: bytes, mono_ns: int) -> None:
        """Record `data` of `channel`, read at `mono_ns` (`time.monotonic_ns()`)."""
        ...
