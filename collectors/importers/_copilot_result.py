"""What GitHub Copilot's agent writes about the end of a call."""

from __future__ import annotations

import re
from typing import Any

from worldtape.collectors.importers._pairs import Result
from worldtape.collectors.importers._values import as_dict, as_int, as_list, as_str, text_of
from worldtape.schemas import ErrorInfo, Lossiness, Outcome, Status

_EXITED = re.compile(r"<(?:exited|shellId: \S+ completed) with exit code (-?\d{1,10})>\s*")
_RUNNING = re.compile(r"<command with (?:shellId|id): \S+ is still running[^>]*>\s*")
_TOO_LARGE = "Output too large to read at once"
_CUT = "\n[Output truncated. Use view_range=["
_NOT_DONE = {"denied", "rejected"}
_TERMINALS = {"terminal", "shell_exit"}


def result_of(data: dict[str, Any], *, at: int | None, started_at: int | None, locator: str, shell: bool) -> Result:
    """Return the result that a `tool.execution_complete` tells.

    Args:
        data: of the event.
        at: its time.
        started_at: when the call began to run, where that is told.
        locator: of the event.
        shell: the tool runs commands, so its words stand behind the output.
    """
    answer, error = as_dict(data.get("result")), as_dict(data.get("error"))
    shown = text_of(answer.get("content"))
    shown = as_str(error.get("message")) if shown is None else shown
    text, code, running = _shell(shown) if shell and shown is not None else (shown, None, False)
    told = [as_dict(part) for part in as_list(answer.get("contents"))]
    ends = [part for part in told if part.get("type") in _TERMINALS]
    if code is None:
        code = next((found for part in ends if (found := as_int(part.get("exitCode"))) is not None), None)
    failed = data.get("success") is False
    reason = as_str(error.get("code"))
    status = Status.OK
    if failed and reason in _NOT_DONE:
        status, text = Status.NOT_EXECUTED, None
    elif running:
        status = Status.TIMEOUT_STILL_RUNNING
    elif failed or code:
        status = Status.TOOL_ERROR
    info = ErrorInfo(type=reason, message=(text or shown or "")[:1000]) if failed else None
    cwd = next((place for part in ends if (place := as_str(part.get("cwd")))), None)
    return Result(
        as_str(data.get("toolCallId")),
        text,
        outcome=Outcome(status=status, exit_code=code, error=info),
        shown=shown,
        at=at,
        duration_ms=None if at is None or started_at is None or at < started_at else (at - started_at) / 1000,
        lossiness=(Lossiness.TRUNCATED_NO_FULL,) if text and (text.startswith(_TOO_LARGE) or _CUT in text) else (),
        state_after={"cwd": cwd} if cwd else None,
        locator=locator,
    )


def _shell(shown: str) -> tuple[str, int | None, bool]:
    """Return (output, exit code, whether the command still runs) of a shell's answer."""
    output, _, mark = ("\n" + shown).rpartition("\n<")
    if exited := _EXITED.fullmatch("<" + mark):
        return output[1:], as_int(int(exited[1])), False
    if _RUNNING.fullmatch("<" + mark):
        return output[1:], None, True
    return shown, None, False
