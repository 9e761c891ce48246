"""Messages of a chat as calls, results and words, whichever way a row writes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._values import as_dict, as_list, as_str, text_of
from worldtape.errors import FormatError

ROLES = {
    "human": "user",
    "gpt": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "agent": "assistant",
    "developer": "system",
    "function": "tool",
    "observation": "tool",
    "tool_response": "tool",
    "tool_result": "tool",
    "tool_output": "tool",
    "function_response": "tool",
    "environment": "tool",
    "ipython": "tool",
    "function_call": "call",
    "tool_call": "call",
}
KNOWN = frozenset({"user", "assistant", "system", "tool", "call"})
_ROLES = ROLES | {role: role for role in KNOWN}
_THINK = re.compile(r"\A\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)\s*", re.DOTALL)
_CALL = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_XML_CALL = re.compile(r"<function=([^>\n]{1,200})>(.*?)</function>", re.DOTALL)
_XML_PARAMETER = re.compile(r"<parameter=([^>\n]{1,200})>(.*?)</parameter>", re.DOTALL)
_RESPONSE = re.compile(r"<tool_response>\n?(.*?)\n?</tool_response>", re.DOTALL)
_SWE_AGENT = "OBSERVATION:\n"
_SWE_AGENT_EMPTY = "Your command ran successfully and did not produce any output."
_CLIPPED = re.compile(r"<response clipped><NOTE>Observations should not exceed.*?</NOTE>\s*\Z", re.DOTALL)
_STEP_COUNT = re.compile(r"\n*This is step \d+ of a maximum of \d+\. Steps Remaining: -?\d+\.\s*\Z")
_EXECUTION = re.compile(r"\A(?:Exit code: (-?\d{1,9})\n)?Execution output of \[([^\]\n]{1,200})\]:\n")
_REASONING = frozenset({"reasoning_content", "reasoning", "thinking", "thought"})
_CALL_PARTS = frozenset({"tool_use", "toolCall", "tool_call", "function_call"})
_RESULT_PARTS = frozenset({"tool_result", "toolResult", "tool_response", "function_call_output"})


@dataclass(slots=True)
class Call:
    """One call of a tool."""

    name: str
    arguments: Any
    id: str | None = None
    raw: str | None = None


@dataclass(slots=True)
class Result:
    """One answer of a tool."""

    text: str
    id: str | None = None
    name: str | None = None
    shown: str | None = None
    """The text with the harness's words, where it differs."""
    error: bool = False
    exit_code: int | None = None
    cut: bool = False
    """Whether the harness or the tool cut it and said so."""


@dataclass(slots=True)
class Message:
    """One message."""

    role: str
    text: str = ""
    """What is said beside calls, results and reasoning."""
    reasoning: str = ""
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    where: str = ""
    loose: bool = False
    """An item of OpenAI's Responses: the calls of one turn stand one after the other."""


def message(value: Any, where: str) -> Message | None:
    """Read one message of `role`/`content` or `from`/`value`; None where it is neither."""
    if not isinstance(value, dict):
        return None
    told = value.get("role", value.get("from"))
    if not isinstance(told, str):
        return _item(value, where)
    role = _ROLES.get(told) or _ROLES.get(told.lower())
    if role is None:
        return None
    content = value["content"] if "content" in value else value.get("value")
    out = Message(role, where=where)
    if isinstance(content, str):
        out.text = content
    elif content is not None:
        _parts(content, out)
    if not _REASONING.isdisjoint(value):
        out.reasoning += "".join(value[key] for key in sorted(_REASONING) if isinstance(value.get(key), str))
    if role in _READERS:
        _READERS[role](value, out)
    return out


def _item(value: dict[str, Any], where: str) -> Message | None:
    """Read an item of OpenAI's Responses API."""
    named = as_id(value.get("call_id"))
    if value.get("type") == "function_call" and isinstance(value.get("name"), str):
        call = Call(value["name"], value.get("arguments"), named)
        return Message("assistant", calls=[call], where=where, loose=True)
    if value.get("type") == "function_call_output":
        output = value.get("output")
        text = _packed(output) if isinstance(output, dict) else text_of(output) or ""
        return Message("tool", results=[Result(text, named)], where=where)
    return None


def _parts(content: Any, out: Message) -> None:
    """Tell the parts of a content from each other; a content that is an object is kept as its JSON."""
    if not isinstance(content, list):
        out.text = (text_of(content) or "") if not isinstance(content, dict) else _packed(content)
        return
    texts = []
    for item in content:
        part = as_dict(item)
        kind = part.get("type")
        if kind in _CALL_PARTS and isinstance(part.get("name"), str):
            arguments = part.get("input", part.get("arguments"))
            out.calls.append(Call(part["name"], arguments, as_id(part.get("id") or part.get("call_id"))))
        elif kind in _RESULT_PARTS:
            told = part.get("content", part.get("output"))
            named = as_id(part.get("tool_use_id") or part.get("tool_call_id") or part.get("call_id"))
            out.results.append(Result(text_of(told) or "", named, error=part.get("is_error") is True))
        elif kind in ("thinking", "think", "reasoning"):
            out.reasoning += as_str(part.get(str(kind))) or as_str(part.get("text")) or ""
        else:
            texts.append(text_of([item]) or "")
    out.text = "".join(texts)


def _packed(content: dict[str, Any]) -> str:
    from worldtape.collectors.importers._values import too_deep
    from worldtape.schemas import canonical_json

    if too_deep(content):
        raise FormatError("a content is nested too deep")
    return canonical_json(content)


def as_id(value: Any) -> str | None:
    """Return the id of a call as a text; ids of other types are told apart from texts."""
    if isinstance(value, str):
        return value or None
    return f"#{value}" if isinstance(value, int) and not isinstance(value, bool) else None


def _assistant(fields: dict[str, Any], out: Message) -> None:
    calls = fields.get("tool_calls")
    if calls:
        for item in as_list(decoded(calls)):
            call = _openai_call(item)
            if call is not None:
                out.calls.append(call)
    single = fields.get("function_call")
    if single and not out.calls:
        single = decoded(single)
        if isinstance(single, dict) and (call := _openai_call(single)):
            out.calls.append(call)
    if "<" not in out.text:
        return
    thought = _THINK.match(out.text)
    if thought:
        out.reasoning += thought[1].strip()
        out.text = out.text[thought.end() :]
    if not out.calls:
        _text_calls(out)


def decoded(value: Any) -> Any:
    """Return the JSON that stands in a text; a text that is none, and anything else, as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return parse(value.encode("utf-8", "replace"))
        except FormatError:
            return value
    return value


def _openai_call(item: Any) -> Call | None:
    fields = item if isinstance(item, dict) else as_dict(decoded(item))
    function = as_dict(fields.get("function")) or fields
    name = as_str(function.get("name")) or as_str(function.get("function_name"))
    if name is None:
        return None
    arguments = function.get("arguments", function.get("parameters", function.get("input")))
    return Call(name, arguments, as_id(fields.get("id") or fields.get("tool_call_id") or fields.get("call_id")))


def _json_call(text: str) -> Call | None:
    value = decoded(text.strip())
    call = _openai_call(value) if isinstance(value, dict) else None
    if call is not None:
        call.raw = text.strip()
    return call


def _text_calls(out: Message) -> None:
    """Find calls written into the text: `<tool_call>` with JSON or XML inside, or `<function=…>` alone."""
    found: list[Call] = []
    for match in _CALL.finditer(out.text):
        call = _json_call(match[1]) or _xml_call(match[1])
        if call is not None:
            found.append(call)
    if found:
        out.calls, out.text = found, _CALL.sub("", out.text).strip()
        return
    found = [call for match in _XML_CALL.finditer(out.text) if (call := _xml_call(match[0]))]
    if found:
        out.calls, out.text = found, _XML_CALL.sub("", out.text).strip()


def _xml_call(text: str) -> Call | None:
    match = _XML_CALL.search(text)
    if match is None:
        return None
    arguments = {name.strip(): _bare(value) for name, value in _XML_PARAMETER.findall(match[2])}
    return Call(match[1].strip(), arguments, raw=match[0])


def _bare(value: str) -> str:
    """Take off the one line feed that the template puts on each side of a long value."""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == "\n" else value


def _tool(fields: dict[str, Any], out: Message) -> None:
    if out.results:
        return
    named = as_id(fields.get("tool_call_id") or fields.get("tool_use_id") or fields.get("call_id"))
    result = _execution(out.text)
    result.id, result.name = named, as_str(fields.get("name")) or result.name
    result.error = fields.get("is_error") is True or fields.get("isError") is True or fields.get("status") == "error"
    wrapped = _RESPONSE.findall(out.text) if "<tool_response>" in out.text else []
    if len(wrapped) > 1:
        out.results = [Result(text, shown=out.text) for text in wrapped]
    elif len(wrapped) == 1:
        out.results = [Result(wrapped[0], named, result.name, out.text, error=result.error)]
    else:
        out.results = [result]
    out.text = ""


def _execution(text: str) -> Result:
    """Take off the words of harnesses that say what was run, how it ended and how many steps are left."""
    head = _EXECUTION.match(text) if text.startswith("Ex") else None
    if head is None:
        return Result(text)
    bare = _STEP_COUNT.sub("", text[head.end() :])
    code = None if head[1] is None else int(head[1])
    return Result(bare, name=head[2], shown=text, exit_code=code, cut="<response clipped>" in bare)


def _user(_: dict[str, Any], out: Message) -> None:
    """Find results that stand in a user turn: `<tool_response>`, or SWE-agent's template."""
    if out.results:
        return
    wrapped = _RESPONSE.findall(out.text) if out.text.lstrip().startswith("<tool_response>") else []
    if wrapped:
        out.results += [Result(text, shown=out.text) for text in wrapped]
    elif out.text.startswith(_SWE_AGENT):
        out.results.append(Result(out.text[len(_SWE_AGENT) :], shown=out.text))
    elif out.text.startswith("Observation: ") and _CLIPPED.search(out.text):
        bare = _CLIPPED.sub("", out.text[len("Observation: ") :])
        out.results.append(Result(bare, shown=out.text, cut=True))
    elif out.text.strip() == _SWE_AGENT_EMPTY:
        out.results.append(Result("", shown=out.text))
    if out.results:
        out.text = ""


def _call(_: dict[str, Any], out: Message) -> None:
    """Take a message that is nothing but a call."""
    call = _json_call(out.text)
    out.role = "assistant"
    out.calls, out.text = ([call], "") if call else ([], out.text)


_READERS: dict[str, Callable[[dict[str, Any], Message], None]] = {
    "assistant": _assistant,
    "tool": _tool,
    "user": _user,
    "call": _call,
}
