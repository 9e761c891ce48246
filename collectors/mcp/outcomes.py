"""How a call ended, in facts."""

from __future__ import annotations

from typing import Any

from worldtape.schemas import ErrorInfo, Outcome, Status

_CODES = range(-(1 << 31), 1 << 31)


def outcome_of(answer: dict[str, Any]) -> Outcome:
    """Return the outcome of a call that was answered.

    `isError` is a `tool_error`; a JSON-RPC error is a `protocol_error` with its code; an answer whose result is no
    object breaks the protocol, and is one too.
    """
    error = answer.get("error")
    if error is not None:
        fields = error if isinstance(error, dict) else {}
        code, message = fields.get("code"), fields.get("message")
        whole = code if isinstance(code, int) and not isinstance(code, bool) and code in _CODES else None
        told = message if isinstance(message, str) else None
        return Outcome(status=Status.PROTOCOL_ERROR, error=ErrorInfo(type="jsonrpc", message=told, code=whole))
    result = answer.get("result")
    if not isinstance(result, dict):
        fault = "the result is no object" if "result" in answer else "the answer has neither a result nor an error"
        what = ErrorInfo(type="invalid_answer", message=fault)
        return Outcome(status=Status.PROTOCOL_ERROR, error=what)
    if result.get("isError") is True:
        return Outcome(status=Status.TOOL_ERROR, error=ErrorInfo(type="tool"))
    return Outcome(status=Status.OK)


def died(status: int | None, last_err: str) -> Outcome:
    """Return the outcome of a call whose server is gone.

    Args:
        status: its exit code or, negative, the signal that ended it; None: the connection ended, the rest is unknown.
        last_err: the newest line of its stderr, or how the connection failed.
    """
    how = "the connection to the server ended"
    if status is not None:
        how = f"the server exited with {status}" if status >= 0 else f"the server was ended by signal {-status}"
    message = f"{how}: {last_err}" if last_err else how
    return Outcome(
        status=Status.ENV_ERROR,
        exit_code=status if status is not None and status >= 0 else None,
        signal=-status if status is not None and status < 0 else None,
        error=ErrorInfo(type="server_gone", message=message),
    )


def timed_out(seconds: float) -> Outcome:
    """Return the outcome of a call that was cancelled at its time limit; the server may work on unseen."""
    message = f"no answer within {seconds:g} s; the call was cancelled"
    return Outcome(status=Status.TIMEOUT_KILLED, error=ErrorInfo(type="timeout", message=message))


__all__ = ["died", "outcome_of", "timed_out"]
