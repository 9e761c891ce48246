"""What Droid writes about the result of a tool."""

from __future__ import annotations

import re

from worldtape.collectors.importers._claude_result import REMINDERS
from worldtape.collectors.importers._pairs import Result
from worldtape.collectors.importers._values import as_int
from worldtape.schemas import ErrorInfo, Outcome, Status

SHELLS = {"Execute"}
MODELS = {"Task"}
"""Tools behind which a model answers."""
_EXITED = re.compile(r"\n{0,2}\[Process exited with code (-?\d{1,10})\]\s*\Z")
_FAILED = re.compile(r"\AError: Command failed \(exit code: (-?\d{1,10})\)(?:\n|\Z)")
_REJECTED = re.compile(r"\AError: \S+ call rejected: ")
_LONGEST_TAIL = 200


def result_of(call: str | None, shown: str | None, at: int | None, locator: str, *, error: bool, shell: bool) -> Result:
    """Return a result without the harness's words; what they tell is the outcome.

    Args:
        call: id of the call that it answers.
        shown: what the model saw.
        at: when it came, µs.
        locator: its place.
        error: the harness says that it failed.
        shell: the tool ran a command.
    """
    text, code = None if shown is None else REMINDERS.sub("", shown), None
    if shell and text is not None:
        text, code = _bare(text)
    status = Status.TOOL_ERROR if error or code else Status.OK
    if error and text is not None and _REJECTED.match(text):
        status = Status.REJECTED
    message = ErrorInfo(message=(text or "")[:1000]) if status is Status.TOOL_ERROR and error else None
    outcome = Outcome(status=status, exit_code=code, error=message)
    return Result(call, text, outcome=outcome, shown=shown, at=at, locator=locator)


def _bare(text: str) -> tuple[str, int | None]:
    """Return (the output of a command, its exit code).

    The words before the output are taken off only where those behind it tell the same code.
    """
    end = _EXITED.search(text, max(len(text) - _LONGEST_TAIL, 0))
    if end is None:
        return text, None
    start = _FAILED.match(text)
    begin = start.end() if start and start[1] == end[1] else 0
    return text[min(begin, end.start()) : end.start()], as_int(int(end[1]))
