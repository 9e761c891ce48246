"""What Claude Code writes about the result of a tool."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.importers._pairs import Result
from worldtape.collectors.importers._values import as_dict, as_int, as_list, as_str, micros, text_of
from worldtape.schemas import ErrorInfo, Lossiness, Outcome, SourceFile, Status

INTERRUPTED = "[Request interrupted by user"
REMINDERS = re.compile(r"(?:\s*<system-reminder>(?:(?!</?system-reminder>).)*</system-reminder>)+\s*\Z", re.DOTALL)
"""Words of the harness behind an answer."""
_DENIED = ("The user doesn't want to proceed with this tool use", "The user doesn't want to take this action right now")
_NOT_GRANTED = re.compile(r"Claude requested permissions to .*, but you haven't granted it yet\.\Z", re.DOTALL)
_ERROR = re.compile(r"\A<tool_use_error>(.*)</tool_use_error>\s*\Z", re.DOTALL)
_EXIT = re.compile(r"\A(?:Error: )?Exit code (\d{1,10})(?:\n|\Z)")
_TIMED_OUT = re.compile(r"\ACommand timed out after [\d.]+")
_SILENT = ("(Bash completed with no output)", "Tool ran without output")
_CUT = re.compile(r"\[\d+ (?:lines|characters|chars) truncated\]")
_SAVED = re.compile(r"tool-results/([\w-][\w.-]*)")
_LARGEST = 64 << 20


@dataclass(slots=True)
class _Text:
    """The environment's words, and what they tell about the outcome."""

    text: str | None
    exit_code: int | None = None
    status: Status | None = None
    apart: bool = False
    cut: bool = False


def result_of(part: dict[str, Any], record: dict[str, Any], source: SourceFile, locator: str, *, alone: bool) -> Result:
    """Return the result that `part` of a message tells.

    Of `alone` results the record holds no other, so its `toolUseResult` speaks of this one.
    """
    shown = text_of(part.get("content"))
    facts = as_dict(record.get("toolUseResult")) if alone else {}
    error = part.get("is_error") is True
    found = _text(shown, facts, error=error)
    if shown is not None and "<persisted-output>" in shown:
        whole = _saved(shown, facts, source)
        found.text, found.cut = (whole, False) if whole is not None else (found.text, True)
    if _only_images(part.get("content")):
        found.text = None
    codes = [Lossiness.TRUNCATED_NO_FULL] if found.cut or facts.get("truncated") is True else []
    extra = {"uuid": as_str(record.get("uuid")), "denied": as_str(record.get("toolDenialKind")) if alone else None}
    extra["stderr"] = as_str(facts.get("stderr"))
    extra["background"] = as_str(facts.get("backgroundTaskId"))
    state = {"cwd": as_str(record.get("cwd")), "git_branch": as_str(record.get("gitBranch"))}
    return Result(
        as_str(part.get("tool_use_id")),
        found.text,
        outcome=_outcome(found, facts, record if alone else {}, shown, error=error),
        shown=shown,
        at=micros(record.get("timestamp")),
        lossiness=tuple(codes),
        state_after={key: value for key, value in state.items() if value} or None,
        locator=locator,
        extra={key: value for key, value in extra.items() if value},
        apart=found.apart,
    )


def _text(shown: str | None, facts: dict[str, Any], *, error: bool) -> _Text:
    """Take the harness's words away from what the tool answered."""
    out, err = facts.get("stdout"), facts.get("stderr")
    if isinstance(out, str) and not facts.get("backgroundTaskId") and not (error and not out and not err):
        err = err if isinstance(err, str) else ""
        joined = out + ("" if not out or not err or out.endswith("\n") else "\n") + err
        cut = bool(_CUT.search(joined))
        return _Text(joined, as_int(facts.get("exitCode")), apart=not (out and err), cut=cut)
    if shown is None:
        return _Text(None)
    text = REMINDERS.sub("", shown)
    if text.startswith(INTERRUPTED):
        return _Text(None, status=Status.INTERRUPTED)
    if text.startswith(_DENIED) or (error and _NOT_GRANTED.match(text)):
        return _Text(None, status=Status.NOT_EXECUTED)
    if wrapped := _ERROR.match(text):
        text = wrapped[1]
    code = None
    if error and (header := _EXIT.match(text)):
        code, text = as_int(int(header[1])), text[header.end() :]
    status = Status.TIMEOUT_KILLED if error and _TIMED_OUT.match(text) else None
    text = "" if text.strip() in _SILENT else text
    return _Text(text, code, status, cut=bool(_CUT.search(text)))


def _outcome(found: _Text, facts: dict[str, Any], record: dict[str, Any], shown: str | None, *, error: bool) -> Outcome:
    status = found.status
    if record.get("toolDenialKind"):
        status = Status.NOT_EXECUTED
    elif facts.get("interrupted") is True:
        status = Status.INTERRUPTED
    elif status is None and facts.get("backgroundTaskId"):
        status = Status.TIMEOUT_STILL_RUNNING
    if status is None:
        status = Status.TOOL_ERROR if error or found.exit_code else Status.OK
    told = error and status is Status.TOOL_ERROR
    return Outcome(
        status=status,
        exit_code=found.exit_code,
        error=ErrorInfo(message=(found.text or shown or "")[:1000]) if told else None,
    )


def _only_images(content: Any) -> bool:
    parts = as_list(content)
    return bool(parts) and all(as_dict(part).get("type") == "image" for part in parts)


def _saved(shown: str, facts: dict[str, Any], source: SourceFile) -> str | None:
    """Return the whole output from the file beside the session, never from elsewhere."""
    found = _SAVED.search(as_str(facts.get("persistedOutputPath")) or shown)
    if found is None:
        return None
    folder = source.name.rpartition("/")[2].removesuffix(".jsonl")
    for path in (f"{folder}/tool-results/{found[1]}", f"tool-results/{found[1]}", f"../tool-results/{found[1]}"):
        file = source.sibling(path)
        if file is not None and file.size <= _LARGEST:
            with file.open() as stream:
                return stream.read(_LARGEST).decode("utf-8", "replace")
    return None
