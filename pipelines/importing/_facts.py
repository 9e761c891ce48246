"""Numbers of other people, kept within what the lake's columns hold."""

from __future__ import annotations

from worldtape.schemas import ErrorInfo, Outcome, Timing

LATEST = 4102444800_000_000
"""The year 2100, microseconds: a later time is none."""
_WORD = 1 << 31


def usable_time(wall_us: int | None) -> int | None:
    """Return a wall time that can be one; else null."""
    return wall_us if wall_us is not None and 0 < wall_us < LATEST else None


def usable_timing(timing: Timing) -> tuple[Timing, bool]:
    """Return the timing with impossible times left out, and whether there were any."""
    if timing.started_at is timing.first_output_at is timing.ended_at is None:
        return timing, False
    times = {name: getattr(timing, name) for name in ("started_at", "first_output_at", "ended_at")}
    bad = {name: None for name, value in times.items() if value is not None and usable_time(value) is None}
    return (timing.model_copy(update=bad), True) if bad else (timing, False)


def usable_outcome(outcome: Outcome) -> Outcome:
    """Return the outcome without numbers that no exit code, signal or error code can be."""
    error = outcome.error
    if outcome.exit_code is None and outcome.signal is None and not outcome.exit_codes and error is None:
        return outcome
    update = {
        "exit_code": _word(outcome.exit_code),
        "signal": _word(outcome.signal),
        "exit_codes": tuple(code for code in outcome.exit_codes if _word(code) is not None),
        "error": None if error is None else _usable_error(error),
    }
    return outcome.model_copy(update=update)


def _usable_error(error: ErrorInfo) -> ErrorInfo:
    return error if _word(error.code) == error.code else error.model_copy(update={"code": None})


def _word(value: int | None) -> int | None:
    return value if value is not None and -_WORD <= value < _WORD else None
