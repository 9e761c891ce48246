"""What pi, and programs built on it, write about the result of a tool."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.importers._pairs import Result
from worldtape.collectors.importers._values import as_dict, as_float, as_int, as_list, as_str, kept, text_of
from worldtape.schemas import ErrorInfo, Lossiness, Outcome, Status

MISSING = "[openclaw] missing tool result in session history"
"""Begins what is put in the place of a result that got lost."""
_EXIT = re.compile(r"(?:\A|\n\n)\(?Command exited with code (-?\d{1,10})\.?\)?\s*\Z")
_ABORTED = re.compile(r"(?:\A|\n\n)(?:Command|Operation) aborted\s*\Z")
_TIMED_OUT = re.compile(r"(?:\A|\n\n)\(?Command timed out after [\d.]+ seconds\)?\.?\s*\Z")
_SAVED = re.compile(r"(?:\A|\n\n)\[Showing (?:lines|last) [^\n]*\. Full output: [^\n]*\]\s*\Z")
_GUARD = re.compile(r"(?:\A|\n\n)⚠️ \[Content truncated [^\]]*\]\s*\Z")
_CUT = re.compile(r"\[Showing (?:lines|last) [^\n\]]*(?:Use offset=|Full output: )|⚠️ \[[^\]\n]*(?:truncated|omitted)")
_INVALID = re.compile(r'\A(?:Validation failed for tool "|Tool \S+ not found\Z)')
_SKIPPED = "Skipped due to queued user message"
_SILENT = ("(no output)", "(no output recorded)")
_OWN = ("aggregated", "durationMs", "exitCode", "tail")
_LONGEST_TAIL = 2000


@dataclass(slots=True)
class _Text:
    """The environment's words, and what the harness's around them tell."""

    text: str | None
    status: Status | None = None
    exit_code: int | None = None
    cut: bool = False


def result_of(message: dict[str, Any], call: str | None, at: int | None, locator: str, *, shell: bool) -> Result:
    """Return what a `toolResult` tells.

    Args:
        message: the result.
        call: id of the call that it answers.
        at: when it came, µs.
        locator: its place.
        shell: the tool runs commands, so words of the harness stand behind the output.
    """
    details = as_dict(message.get("details"))
    shown = text_of(message.get("content"))
    error = message.get("isError") is True
    ended = error or bool(details.keys() & {"exitCode", "status"})
    found = _shell(shown, ended=ended) if shell and shown is not None else _other(shown, error=error)
    if _only_images(message.get("content")):
        found.text = None
    code = as_int(details.get("exitCode"))
    found.exit_code = found.exit_code if code is None else code
    cut = found.cut or as_dict(details.get("truncation")).get("truncated") is True
    told = kept(details, *_OWN)
    return Result(
        call,
        found.text,
        outcome=_outcome(found, details, error=error),
        shown=shown,
        at=at,
        duration_ms=as_float(details.get("durationMs")),
        lossiness=(Lossiness.TRUNCATED_NO_FULL,) if cut else (),
        locator=locator,
        extra={"details": told} if told else {},
    )


def _shell(shown: str, *, ended: bool) -> _Text:
    """Take the words of the harness away from behind the output of a command.

    How it `ended` stands there only where the result tells of it elsewhere, too: else the command wrote it.
    """
    found = _Text(shown)
    end = None
    if ended and (end := _last(_EXIT, shown)):
        found.exit_code = as_int(int(end[1]))
    elif ended and (end := _last(_ABORTED, shown)):
        found.status = Status.INTERRUPTED
    elif ended and (end := _last(_TIMED_OUT, shown)):
        found.status = Status.TIMEOUT_KILLED
    text = shown[: end.start()] if end else shown
    for note in (_SAVED, _GUARD):
        if end := _last(note, text):
            text, found.cut = text[: end.start()], True
    found.text = "" if text.strip() in _SILENT else text
    found.cut = found.cut or bool(_CUT.search(text))
    return found


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return what stands at the end of a text, without reading all that is before it."""
    return pattern.search(text, max(len(text) - _LONGEST_TAIL, 0))


def _other(shown: str | None, *, error: bool) -> _Text:
    """Read the answer of a tool that is no shell; an error may be the harness's."""
    found = _Text(shown, cut=bool(shown and _CUT.search(shown)))
    if not error or shown is None:
        return found
    if shown.startswith(_SKIPPED):
        return _Text(None, Status.NOT_EXECUTED)
    if _INVALID.match(shown):
        found.status = Status.REJECTED
    elif end := _last(_ABORTED, shown):
        found.text, found.status = shown[: end.start()] or None, Status.INTERRUPTED
    return found


def _outcome(found: _Text, details: dict[str, Any], *, error: bool) -> Outcome:
    told = as_str(details.get("status"))
    status = found.status
    if details.get("timedOut") is True:
        status = Status.TIMEOUT_KILLED
    elif told == "running" and found.exit_code is None:
        status = Status.TIMEOUT_STILL_RUNNING
    if status is None:
        status = Status.TOOL_ERROR if error or found.exit_code or told in ("failed", "error") else Status.OK
    failed = error and status is Status.TOOL_ERROR
    message = ErrorInfo(message=(found.text or "")[:1000]) if failed else None
    return Outcome(status=status, exit_code=found.exit_code, error=message)


def _only_images(content: Any) -> bool:
    parts = as_list(content)
    return bool(parts) and all(as_dict(part).get("type") == "image" for part in parts)
