"""From what was seen to the outcome of an action; `docs/format.md` states the same map."""

from __future__ import annotations

from dataclasses import dataclass

from worldtape.schemas import ErrorInfo, Outcome, SettledBy, Status

_SIGNAL_BASE = 128
_LAST_SIGNAL = 31
_SIGINT = 2
_CRASHES = frozenset({4, 5, 6, 7, 8, 11, 13, 24, 25, 31})


@dataclass(slots=True)
class Facts:
    """What is known about the end of one action."""

    rejected: str | None = None
    """Why it was not tried."""
    was_over: bool = False
    """The shell was gone before it."""
    settled_by: SettledBy | None = None
    """What ended the wait; None: the shell is gone."""
    waiting: bool = True
    """Whether the foreground process waited for input then, as far as one could see."""
    untyped: int = 0
    """Bytes that the terminal did not take."""
    codes: tuple[int, ...] = ()
    """Exit codes of the commands that it finished."""
    message: str | None = None
    """The last line that the last of those commands printed."""
    interrupts: bool = False
    """Whether it typed Ctrl-C."""
    killed: str | None = None
    """What on our side killed the shell, if that did."""
    kills: bool = False
    """Whether it speaks of killing, and the shell lived when it began."""
    shell_code: int | None = None
    """The shell's own exit code or, negative, the signal that ended it."""

    @property
    def own_signal(self) -> bool:
        """Whether the signal that ended the shell is its own doing: a crash, or one that the action asked for.

        Nobody can see afterwards who sent a signal. Ours would be SIGKILL or SIGHUP; so these count as the action's own
        only if it speaks of killing.
        """
        signal = 0 if self.shell_code is None else -self.shell_code
        return signal in _CRASHES or (signal > 0 and self.kills)


def outcome(facts: Facts) -> Outcome:
    """Return the outcome that `facts` amount to."""
    if facts.rejected is not None:
        return Outcome(status=Status.REJECTED, error=ErrorInfo(type="invalid_action", message=facts.rejected))
    if facts.was_over:
        error = ErrorInfo(type="ended", message="the shell had ended before this action")
        return Outcome(status=Status.NOT_EXECUTED, error=error)
    if facts.settled_by is None:
        return _ended(facts)
    if not facts.waiting or facts.untyped:
        return _running(facts)
    return _finished(facts)


def _ended(facts: Facts) -> Outcome:
    code = facts.shell_code
    if facts.killed is not None:
        signal = -code if code is not None and code < 0 else None
        error = ErrorInfo(type="killed", message=facts.killed)
        return Outcome(status=Status.INFRA_ERROR, exit_codes=facts.codes, signal=signal, error=error)
    if code is not None and code < 0:
        error = ErrorInfo(
            type="shell_ended", message=f"the shell was ended by signal {-code}", code=_SIGNAL_BASE - code
        )
        return Outcome(
            status=Status.TOOL_ERROR, exit_code=error.code, exit_codes=facts.codes, signal=-code, error=error
        )
    return Outcome(status=Status.OK, exit_code=code, exit_codes=facts.codes)


def _running(facts: Facts) -> Outcome:
    error = None
    if facts.untyped:
        error = ErrorInfo(type="not_typed", message=f"the terminal did not take {facts.untyped} bytes")
    code = facts.codes[-1] if facts.codes else None
    return Outcome(status=Status.TIMEOUT_STILL_RUNNING, exit_code=code, exit_codes=facts.codes, error=error)


def _finished(facts: Facts) -> Outcome:
    if not facts.codes:
        return Outcome(status=Status.OK)
    code = facts.codes[-1]
    signal = code - _SIGNAL_BASE if 0 < code - _SIGNAL_BASE <= _LAST_SIGNAL else None
    status, error = Status.OK, None
    if code:
        interrupted = facts.interrupts and signal == _SIGINT
        status = Status.INTERRUPTED if interrupted else Status.TOOL_ERROR
        error = ErrorInfo(type="signal" if signal else "exit", message=facts.message, code=code)
    return Outcome(status=status, exit_code=code, exit_codes=facts.codes, signal=signal, error=error)


__all__ = ["Facts", "outcome"]
