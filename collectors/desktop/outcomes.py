"""How an action on a desktop ended, in facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldtape.schemas import ErrorInfo, Outcome, Status

_SIGNALS = {137: 9, 143: 15}
_OURS = "the desktop does not answer"


def outcome_of(head: Mapping[str, Any], tree: Mapping[str, Any], timeout_s: float) -> Outcome:
    """Return the outcome of code that was run.

    A display that has died and a program that a signal has ended are an `env_error`; an exception, an exit code and a
    signal of the code itself are a `tool_error`.

    Args:
        head: what the session told: `ended` and `deaths`.
        tree: the capture after it.
        timeout_s: how long the code was allowed to run.
    """
    if tree.get("gone"):
        return _bad(Status.ENV_ERROR, "display_gone", "the X server has died")
    for death in head["deaths"]:
        if death["code"] < 0:
            return _bad(Status.ENV_ERROR, "program_died", f"{death['program']} was ended by signal {-death['code']}")
    return _of_code(head["ended"]["code"], head["ended"]["error"], timeout_s)


def _of_code(code: int | None, error: dict[str, str] | None, timeout_s: float) -> Outcome:
    if code is None:
        return _bad(Status.TIMEOUT_KILLED, "timeout", f"the code ran for {timeout_s:g} s and was killed")
    if error is not None:
        return _bad(Status.TOOL_ERROR, error["type"], error["message"], exit_code=code)
    if code < 0:
        told = ErrorInfo(type="signal", message=f"the code was ended by signal {-code}")
        return Outcome(status=Status.TOOL_ERROR, signal=-code, error=told)
    if code > 0:
        return _bad(Status.TOOL_ERROR, "exit", f"the code exited with {code}", exit_code=code)
    return Outcome(status=Status.OK, exit_code=0)


def lost(*, running: bool, code: int | None, reason: str | None) -> Outcome:
    """Return the outcome of an action during which the connection to the session ended.

    Args:
        running: whether the container still runs.
        code: the exit code of the session, where the daemon knows it.
        reason: which limit has ended the container, if one has.
    """
    if not running:
        return _bad(Status.ENV_ERROR, "container_gone", reason or "the container has died")
    if code in _SIGNALS:
        return _bad(Status.ENV_ERROR, "session_gone", f"the session was ended by signal {_SIGNALS[code]}")
    return _bad(Status.INFRA_ERROR, "session_failed", _OURS if code is None else f"the session ended with {code}")


def rejected(message: str) -> Outcome:
    """Return the outcome of what is no action for a desktop."""
    return _bad(Status.REJECTED, "invalid_action", message)


def over() -> Outcome:
    """Return the outcome of an action on a desktop that is gone."""
    return _bad(Status.NOT_EXECUTED, "over", "the desktop is gone")


def _bad(status: Status, kind: str, message: str, *, exit_code: int | None = None) -> Outcome:
    return Outcome(status=status, exit_code=exit_code, error=ErrorInfo(type=kind, message=message or None))


__all__ = ["lost", "outcome_of", "over", "rejected"]
