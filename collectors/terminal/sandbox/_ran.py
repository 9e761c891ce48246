"""What an out-of-band command gave."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ran:
    """The end of one command that was run beside the interactive shell."""

    exit_code: int | None
    """Its exit code, 128 + the signal that ended it, or null where it was stopped at the deadline."""
    output: bytes
    """Standard output and error together, in the order they were written; kept at the deadline too."""

    @property
    def timed_out(self) -> bool:
        """Whether the deadline ended it."""
        return self.exit_code is None

    @property
    def text(self) -> str:
        """The output as text; what is no UTF-8 is replaced."""
        return self.output.decode(errors="replace")
