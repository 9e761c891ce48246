"""What time it is."""

import time


class Clock:
    """The machine's clocks; tests hand a tape another one."""

    def wall_us(self) -> int:
        """Return microseconds since 1970 UTC; may step back."""
        return time.time_ns() // 1000

    def mono_ns(self) -> int:
        """Return nanoseconds of `time.monotonic_ns()`; never decreases."""
        return time.monotonic_ns()
