"""mini-swe-agent's templates: the command in a reply, and the output in an observation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._values import as_dict, as_int, as_list, as_str, text_of
from worldtape.errors import FormatError
from worldtape.schemas import ErrorInfo, Outcome, Status

SUBMIT = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
"""Commands that print one of these in their first line end the run; the harness takes that line away."""

_FENCED = re.compile(r"```(?:bash|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"\s*(?:<exception>.*?</exception>\s*)?<returncode>\s*(-?\d{1,10})\s*</returncode>\s*", re.DOTALL)
_OUTPUT = re.compile(r"<output>\n?(.*)</output>\s*\Z", re.DOTALL)
_CUT = re.compile(
    r"<output_head>\n?(.*)</output_head>\s*<elided_chars>\s*(\d{1,12}).*?</elided_chars>\s*"
    r"<output_tail>\n?(.*)</output_tail>\s*\Z",
    re.DOTALL,
)
_TIMEOUT = re.compile(r"\AThe last command <command>.*</command> timed out and has been killed\.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Output:
    """One command's result."""

    text: str | None
    """What the command printed; of a cut one, head and tail with `[… N characters elided …]` between them."""
    outcome: Outcome
    elided: int | None = None
    """Characters that are lost."""


def commands(message: dict[str, Any]) -> list[tuple[str | None, str]]:
    """Return (id of the call, command) of every command in a reply: parsed ones, tool calls, else fenced blocks."""
    listed = [as_dict(item) for item in as_list(as_dict(message.get("extra")).get("actions"))]
    found = [(as_str(item.get("tool_call_id")), text) for item in listed if (text := as_str(item.get("command")))]
    if found:
        return found
    calls = [as_dict(item) for item in as_list(message.get("tool_calls"))]
    if calls:
        asked = [(as_str(call.get("id")), _argument(as_dict(call.get("function")).get("arguments"))) for call in calls]
        return [(call, command) for call, command in asked if command]
    blocks = _FENCED.findall(text_of(message.get("content")) or "")
    return [(None, blocks[0])] if len(blocks) == 1 and blocks[0].strip() else []


def _argument(arguments: Any) -> str | None:
    if isinstance(arguments, str):
        try:
            arguments = parse(arguments.encode("utf-8", "surrogatepass"))
        except FormatError:
            return None
    return as_str(as_dict(arguments).get("command"))


def output(message: dict[str, Any]) -> Output | None:
    """Read an observation: from its own fields, else from its text; null where it is none."""
    extra = as_dict(message.get("extra"))
    text = text_of(message.get("content"))
    if isinstance(extra.get("raw_output"), str) or as_int(extra.get("returncode")) is not None:
        raw = extra.get("raw_output")
        return Output(raw if isinstance(raw, str) else None, _outcome(as_int(extra.get("returncode")), extra))
    if text is None:
        return None
    return _tagged(text) or _timed_out(text) or (_object(text) if message.get("role") == "tool" else None)


def _tagged(text: str) -> Output | None:
    code = _CODE.match(text)
    if code is None:
        return None
    outcome = _outcome(as_int(int(code[1])), {})
    cut = _CUT.search(text, code.end())
    if cut:
        return Output(f"{cut[1]}[… {cut[2]} characters elided …]\n{cut[3]}", outcome, int(cut[2]))
    whole = _OUTPUT.match(text, code.end())
    return Output(whole[1] if whole else None, outcome)


def _timed_out(text: str) -> Output | None:
    if not _TIMEOUT.match(text):
        return None
    found = re.search(r"<output>\n?(.*)</output>", text, re.DOTALL)
    return Output(found[1] if found else "", Outcome(status=Status.TIMEOUT_KILLED))


def _object(text: str) -> Output | None:
    try:
        fields = as_dict(parse(text.encode("utf-8", "surrogatepass")))
    except FormatError:
        return None
    code = as_int(fields.get("returncode"))
    if code is None:
        return None
    head, tail = fields.get("output_head"), fields.get("output_tail")
    if isinstance(head, str) and isinstance(tail, str):
        elided = as_int(fields.get("elided_chars")) or 0
        return Output(f"{head}[… {elided} characters elided …]\n{tail}", _outcome(code, fields), elided)
    printed = fields.get("output")
    return Output(printed if isinstance(printed, str) else None, _outcome(code, fields))


def _outcome(code: int | None, facts: dict[str, Any]) -> Outcome:
    message, kind = as_str(facts.get("exception_info")), as_str(facts.get("exception_type"))
    if message or kind:
        timed_out = "Timeout" in (kind or "") or "timed out" in (message or "")
        status = Status.TIMEOUT_KILLED if timed_out else Status.ENV_ERROR
        return Outcome(status=status, error=ErrorInfo(type=kind, message=message))
    if code is None:
        return Outcome(status=Status.UNKNOWN)
    if code < 0:
        return Outcome(status=Status.TOOL_ERROR, signal=-code if code < -1 else None)
    return Outcome(status=Status.TOOL_ERROR if code else Status.OK, exit_code=code)
