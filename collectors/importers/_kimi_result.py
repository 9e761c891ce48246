"""What Kimi's agents write about the end of a call."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from worldtape.collectors.importers._pairs import Result
from worldtape.collectors.importers._values import as_int, as_str, text_of
from worldtape.schemas import ErrorInfo, Lossiness, Outcome, Status

_SYSTEM = re.compile(r"\A<system>((?:(?!</?system>).)*)</system>\n?", re.DOTALL)
_ENDED = re.compile(
    r"(?:\A|(?<=\n))(?:(?P<ok>Command executed successfully\.)|Command failed with exit code: (?P<code>-?\d{1,10})\."
    r"|(?P<late>Command killed by timeout \([^)\n]*\)))(?P<cut> Output is truncated to fit in the message\.)?\s*\Z"
)
_SAID_NOTHING = re.compile(r"Process exited with code -?\d{1,10}\n?")
_LONGEST_MARK = 1000
_EMPTY = {"Tool output is empty.", "ERROR: Tool execution failed. Tool output is empty."}
_REFUSED = ("The tool call is rejected by the user", "Rejected by the user", "Rejected by user")
_CUT = ("Output is truncated to fit in the message", "[...truncated]")


@dataclass(slots=True)
class _Told:
    """An answer taken apart."""

    observation: str | None
    outcome: Outcome
    lossiness: tuple[Lossiness, ...]
    extra: dict[str, Any] = field(default_factory=dict)

    def result(self, call: str | None, shown: str | None, at: int | None, locator: str) -> Result:
        return Result(
            call,
            self.observation,
            outcome=self.outcome,
            shown=shown,
            at=at,
            lossiness=self.lossiness,
            locator=locator,
            extra=self.extra,
        )


def said_to_model(message: dict[str, Any], *, at: int | None, locator: str, shell: bool) -> Result:
    """Return the result that a message to the model tells: the harness's words stand in `<system>` before it."""
    shown = text_of(message.get("content"))
    words: list[str] = []
    rest = shown or ""
    while found := _SYSTEM.match(rest):
        words.append(found[1])
        rest = rest[found.end() :]
    failed = message.get("isError") is True or any(word == "ERROR" or word.startswith("ERROR: ") for word in words)
    said = [word.removeprefix("ERROR: ") for word in words if word not in _EMPTY and word != "ERROR"]
    told = _told(None if shown is None else rest, "\n".join(said) or None, failed=failed, shell=shell)
    return told.result(as_str(message.get("tool_call_id")) or as_str(message.get("toolCallId")), shown, at, locator)


def returned(call: str | None, value: dict[str, Any], *, at: int | None, locator: str, shell: bool) -> Result:
    """Return the result that a tool's own return value tells.

    Args:
        call: its id.
        value: `is_error`, `output` and `message` apart (Kimi CLI), or `isError` and an `output` that a shell's words
            stand behind (Kimi Code).
        at: the time of the record.
        locator: of the record.
        shell: the tool runs commands.
    """
    failed = value.get("is_error") is True or value.get("isError") is True
    output, message = text_of(value.get("output")), as_str(value.get("message"))
    shown = None
    if shell and message is None:
        message, rest = _split(output, failed=failed)
        shown, output = (output, rest) if message is not None else (None, output)
    told = _told(output, message, failed=failed, shell=shell)
    if told.outcome.status is Status.NOT_EXECUTED:
        shown = output or message
    if value.get("truncated") is True and not told.lossiness:
        told.lossiness = (Lossiness.TRUNCATED_NO_FULL,)
    if note := as_str(value.get("note")):
        told.extra["note"] = note
    return told.result(call, shown, at, locator)


def _split(output: str | None, *, failed: bool) -> tuple[str | None, str | None]:
    """Return (the harness's words, the output before them); it adds them to failures, to cuts and to silence only."""
    found = _ENDED.search(output, max(0, len(output) - _LONGEST_MARK)) if output else None
    if found is None or output is None or not (failed or found["cut"] or found.start() == 0):
        return None, output
    before = output[: found.start()]
    return found[0], "" if _SAID_NOTHING.fullmatch(before) else before


def _told(output: str | None, message: str | None, *, failed: bool, shell: bool) -> _Told:
    """Judge an answer: what the tool put out is the observation, and where it put out nothing, what it says of it."""
    code, late = None, False
    if shell and message is not None and (ended := _ENDED.search(message)):
        late = ended["late"] is not None
        code = 0 if ended["ok"] else as_int(int(ended["code"])) if ended["code"] else None
    text = output
    if not text and message is not None and code is None and not late:
        text = message
    status = Status.TIMEOUT_KILLED if late else Status.TOOL_ERROR if failed or code else Status.OK
    words = message or text or ""
    if failed and words.startswith(_REFUSED):
        return _Told(None, Outcome(status=Status.NOT_EXECUTED), ())
    error = ErrorInfo(message=words[:1000]) if failed and status is Status.TOOL_ERROR else None
    cut = any(mark in whole for mark in _CUT for whole in (message or "", (text or "")[-_LONGEST_MARK:]))
    return _Told(
        text,
        Outcome(status=status, exit_code=code, error=error),
        (Lossiness.TRUNCATED_NO_FULL,) if cut else (),
        {"message": message} if message is not None and message != text else {},
    )
