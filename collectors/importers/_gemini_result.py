"""What the shell tool of Gemini CLI, and of its descendants, writes around an output."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.importers._values import as_dict, as_int, as_list, text_of
from worldtape.schemas import ErrorInfo, Lossiness, Outcome, Status, canonical_json

_HEAD = re.compile(
    r"\A(?:Command: (?:(?!\nDirectory: ).)*\n)?(?:Directory: [^\n]*\n)?(?P<stream>Output|Stdout): ?", re.DOTALL
)
_TAIL = re.compile(
    r"(?:\nError: \(none\))?(?:\nExit Code: (?P<code>[^\n]*))?(?:\nSignal: (?P<signal>[^\n]*))?"
    r"(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?\s*\Z"
)
_LONGEST_TAIL = 2000
_MARKS = ("Command: ", "Output: ", "Directory: ")
_EMPTY = ("(empty)", "(none)")
_CUT = re.compile(
    r"\[\d+ (?:lines|characters) truncated\]|\.\.\. \[CONTENT TRUNCATED\] \.\.\.|Tool output was too large"
)
_NUMBER = re.compile(r"-?\d{1,10}")


@dataclass(slots=True)
class Told:
    """An answer taken apart."""

    observation: str | None
    shown: str | None
    outcome: Outcome
    lossiness: tuple[Lossiness, ...] = ()
    apart: bool = False


def answer_of(responses: Any, status: Status | None, *, shell: bool) -> Told:
    """Return what `functionResponse` parts tell.

    Args:
        responses: the parts; others among them are taken as texts.
        status: what the harness says of the call; null: it says nothing.
        shell: the tool runs commands, so its words stand around the output.
    """
    texts: list[str] = []
    failed = False
    for part in as_list(responses) or [responses]:
        text, bad = _text(part)
        failed = failed or bad
        if text is not None:
            texts.append(text)
    if not texts:
        return Told(None, None, Outcome(status=status or Status.UNKNOWN))
    shown = "\n".join(texts)
    told = _shell(shown) if shell else Told(shown, None, Outcome(status=Status.OK))
    code = told.outcome.exit_code
    if status in (None, Status.OK):
        status = Status.TOOL_ERROR if failed or code or told.outcome.signal else Status.OK
    error = ErrorInfo(message=(told.observation or "")[:1000]) if status is Status.TOOL_ERROR else None
    told.outcome = Outcome(status=status, exit_code=code, signal=told.outcome.signal, error=error)
    if told.observation and _CUT.search(told.observation):
        told.lossiness += (Lossiness.TRUNCATED_NO_FULL,)
    return told


def _text(part: Any) -> tuple[str | None, bool]:
    """Return (text, whether it is an error) of one part of a response."""
    if isinstance(part, str):
        return part, False
    fields = as_dict(part)
    response = as_dict(fields.get("functionResponse")).get("response")
    if response is None:
        return (text_of(fields) if fields else None), False
    inner = as_dict(response)
    if isinstance(inner.get("error"), str):
        return inner["error"], True
    if isinstance(inner.get("output"), str):
        return inner["output"], False
    if isinstance(inner.get("content"), (str, list)):
        return text_of(inner["content"]), inner.get("isError") is True
    return canonical_json(response), False


def _shell(shown: str) -> Told:
    head = _HEAD.match(shown)
    tail = _TAIL.search(shown, max(len(shown) - _LONGEST_TAIL, head.end() - 1 if head else 0))
    if head is None or tail is None or not tail[0].strip():
        codes = (Lossiness.OBS_TEMPLATED,) if shown.startswith(_MARKS) else ()
        return Told(shown, None, Outcome(status=Status.OK), codes)
    body = shown[head.end() : tail.start()]
    pieces = [body]
    if head["stream"] == "Stdout":
        out, mark, err = body.rpartition("\nStderr: ")
        pieces = [out, err] if mark else [body]
    pieces = [_whole(piece) for piece in pieces]
    text = "\n".join(piece for piece in pieces if piece)
    outcome = Outcome(status=Status.OK, exit_code=_int(tail["code"]), signal=_int(tail["signal"]) or None)
    return Told(text, shown, outcome, apart=len(pieces) > 1 and not all(pieces))


def _whole(text: str) -> str:
    return "" if text in _EMPTY else text


def _int(text: str | None) -> int | None:
    return as_int(int(text)) if text and _NUMBER.fullmatch(text) else None
