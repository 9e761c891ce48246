"""What one command in a box gave."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ran:
    """The end of one command; background processes that it left may still run."""

    out: bytes
    """Standard output, as far as it had come when the command ended or was ended."""
    err: bytes
    """Standard error, likewise."""
    code: int | None = None
    """The exit code; null where a signal ended it. A command that cannot be started has 127 or 126, as in a shell."""
    signal: int | None = None
    """The signal that ended it."""
    timed_out: bool = False
    """Whether it was ended (with its whole session, by SIGKILL) because its time was over."""
    background: tuple[int, ...] = ()
    """Process ids, as seen inside, of what it started and left running; they keep running."""


__all__ = ["Ran"]
