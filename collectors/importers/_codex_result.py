"""What Codex writes about the output of a call."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._pairs import Result
from worldtape.collectors.importers._values import as_dict, as_float, as_int, as_str, text_of
from worldtape.errors import FormatError
from worldtape.schemas import ErrorInfo, Lossiness, Outcome, Status, canonical_json

_HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Exit code|Wall time|Original token count|Total output lines): ?[^\n]*\n"
    r"|Process exited with code -?\d{1,10}\n|Process running with session ID [^\n]*\n)+Output:\n?"
)
_EXIT = re.compile(r"^(?:Exit code: ?|Process exited with code )(-?\d{1,10})$", re.MULTILINE)
_WALL = re.compile(r"^Wall time: ?(\d{1,9}(?:\.\d{1,9})?)", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID", re.MULTILINE)
_TIMED_OUT = re.compile(r"\Acommand timed out after \d+ milliseconds(?:\n|\Z)")
_ABORTED = re.compile(r"\Aabort(?:ed)?(?: by user(?: after [\d.]+s)?)?\s*\Z")
_CUT = re.compile(
    r"\[\.\.\. (?:omitted \d+ of \d+ lines|output truncated to fit \d+ bytes) \.\.\.\]"
    r"|…\d+ (?:tokens|chars|lines) truncated…"
)
_TIMEOUT_EXIT = 124
_SIGNALS = 128


@dataclass(slots=True)
class Ran:
    """What an event tells of a call that ended."""

    exit_code: int | None = None
    duration_ms: float | None = None
    failed: bool = False


def ended(event: dict[str, Any]) -> tuple[str, Ran] | None:
    """Return (call id, what is told of it) of an event that ends a call."""
    call = as_str(event.get("call_id"))
    kind = event.get("type")
    if kind == "item_completed":
        event = as_dict(event.get("item"))
        call, kind = as_str(event.get("id")), event.get("type")
    if call is None or kind not in ("exec_command_end", "mcp_tool_call_end", "CommandExecution", "McpToolCall"):
        return None
    answer = as_dict(event.get("result"))
    inner = as_dict(answer.get("Ok")) or answer
    failed = "Err" in answer or inner.get("isError") is True or inner.get("is_error") is True
    return call, Ran(as_int(event.get("exit_code")), _millis(event.get("duration")), failed)


def _millis(duration: Any) -> float | None:
    fields = as_dict(duration)
    secs, nanos = as_float(fields.get("secs")), as_float(fields.get("nanos"))
    return None if secs is None else secs * 1e3 + (nanos or 0.0) / 1e6


def result_of(payload: dict[str, Any], ran: dict[str, Ran], at: int | None, locator: str) -> Result:
    """Return what an output record of any version tells."""
    call = as_str(payload.get("call_id")) or as_str(payload.get("id"))
    event = ran.get(call or "", Ran())
    output, success = _unwrapped(payload)
    shown = output if isinstance(output, str) else None
    text, code, wall, running = shown, None, None, False
    metadata: dict[str, Any] = {}
    if shown is not None and shown.lstrip().startswith('{"'):
        text, metadata = _packed(shown)
    elif isinstance(output, dict):
        text, metadata = as_str(output.get("output")) or "", as_dict(output.get("metadata"))
    if text is not None and (header := _HEADER.match(text)):
        code = next((as_int(int(found[1])) for found in _EXIT.finditer(header[0])), None)
        wall = next((float(found[1]) for found in _WALL.finditer(header[0])), None)
        running = bool(_RUNNING.search(header[0]))
        text = text[header.end() :]
    code = next((one for one in (as_int(metadata.get("exit_code")), code, event.exit_code) if one is not None), None)
    wall = next((one for one in (as_float(metadata.get("duration_seconds")), wall) if one is not None), None)
    outcome, text = _outcome(text, code, failed=success is False or event.failed, running=running)
    return Result(
        call,
        text,
        outcome=outcome,
        shown=shown,
        at=at,
        duration_ms=wall * 1e3 if wall is not None else event.duration_ms,
        lossiness=(Lossiness.TRUNCATED_NO_FULL,) if text and _CUT.search(text) else (),
        locator=locator,
    )


def _unwrapped(payload: dict[str, Any]) -> tuple[Any, bool | None]:
    """Return (output as a text or an object, whether it succeeded) of `str | parts | {content, success} | tools`."""
    output = payload.get("output")
    if output is None and "tools" in payload:
        return canonical_json(payload["tools"]), None
    if isinstance(output, dict):
        success = output.get("success")
        if "content" in output:
            return text_of(output["content"]), success if isinstance(success, bool) else None
        if "output" in output:
            return output, None
        return (text_of(output) if "text" in output else canonical_json(output)), None
    return text_of(output), None


def _packed(shown: str) -> tuple[str, dict[str, Any]]:
    """Take apart an output that is itself JSON: `{"output": …, "metadata": {"exit_code": …}}`."""
    try:
        value = as_dict(parse(shown.encode()))
    except FormatError:
        return shown, {}
    if isinstance(value.get("output"), str) and isinstance(value.get("metadata"), dict):
        return value["output"], value["metadata"]
    return shown, {}


def _outcome(text: str | None, code: int | None, *, failed: bool, running: bool) -> tuple[Outcome, str | None]:
    if text is not None and _ABORTED.match(text):
        return Outcome(status=Status.INTERRUPTED), None
    if code == _TIMEOUT_EXIT and text is not None and (late := _TIMED_OUT.match(text)):
        return Outcome(status=Status.TIMEOUT_KILLED, exit_code=code), text[late.end() :]
    if running:
        return Outcome(status=Status.TIMEOUT_STILL_RUNNING), text
    if code or failed:
        error = ErrorInfo(message=(text or "")[:1000], code=code)
        return Outcome(status=Status.TOOL_ERROR, exit_code=code, error=error), text
    return Outcome(status=Status.OK, exit_code=code), text
