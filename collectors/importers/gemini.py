"""Sessions of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.json`, and since 0.40 `.jsonl` with patches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from worldtape.collectors.importers._gemini_result import answer_of
from worldtape.collectors.importers._head import first_value
from worldtape.collectors.importers._json import document, is_lines
from worldtape.collectors.importers._pairs import Call, Event, Result, Thoughts
from worldtape.collectors.importers._patches import Patched
from worldtape.collectors.importers._sessions import LOSSES, Facts, Session, head_values, refuse_silence
from worldtape.collectors.importers._values import as_dict, as_list, as_str, micros, text_of
from worldtape.schemas import Domain, Imported, Lineage, Lossiness, Orphan, Rejected, SourceFile, Status

_SHELLS = {"run_shell_command"}
_STATUS = {"success": Status.OK, "error": Status.TOOL_ERROR, "cancelled": Status.INTERRUPTED}
_HARNESS = {"info", "warning", "error", "about", "help", "stats", "quit", "compression"}
_MODEL = {"gemini", "model"}
_HEADER = {"sessionId", "projectHash", "startTime"}


class Gemini:
    """Every tool call stands in its message with its own result, so nothing has to be paired over messages."""

    name: ClassVar[str] = "gemini"
    title: ClassVar[str] = "Gemini CLI sessions"
    versions: ClassVar[str] = "JSON up to 0.39, JSON Lines with patches since 0.40"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (*LOSSES, Lossiness.OBS_TEMPLATED)

    def sniff(self, source: SourceFile) -> bool:
        """See `Importer`."""
        if is_lines(source.head):
            first = next(head_values(source.head), {})
            return first.keys() >= _HEADER and "type" not in first
        value = first_value(source)
        return isinstance(value, dict) and "projectHash" in value and {"sessionId", "startTime"} <= value.keys()

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """See `Importer`."""
        header, messages, notes = _messages(source)
        facts = Facts(session=as_str(header.get("sessionId")))

        def events() -> Iterator[Event]:
            yield from notes
            for locator, message in messages():
                yield from _events(message, locator, facts)

        found = Session(source, events, facts)
        refuse_silence(found.plan.calls, source)
        made = found.imported("gemini-cli")
        made.started_at = micros(header.get("startTime"))
        if header.get("kind") == "subagent":
            made.lineage = Lineage(parent=as_str(header.get("parentSessionId")), kind="subagent")
        told = {key: header[key] for key in ("kind", "projectHash", "summary") if as_str(header.get(key))}
        made.extra |= {"header": told} if told else {}
        yield made


_Messages = Callable[[], Iterable[tuple[str, dict[str, Any]]]]


def _messages(source: SourceFile) -> tuple[dict[str, Any], _Messages, list[Orphan]]:
    """Return (header, what gives the messages as often as wanted, what belongs to none)."""
    if is_lines(source.head):
        patched = Patched(source)
        return patched.header, patched.messages, patched.notes
    whole = as_dict(document(source))
    found = [(f"/messages/{number}", item) for number, item in enumerate(as_list(whole.get("messages")))]
    notes = [Orphan("bad_record", {"locator": locator}) for locator, item in found if not isinstance(item, dict)]
    return whole, lambda: [(locator, item) for locator, item in found if isinstance(item, dict)], notes


def _events(message: dict[str, Any], locator: str, facts: Facts) -> Iterator[Event]:
    kind = as_str(message.get("type"))
    text = text_of(message.get("content") if message.get("content") is not None else message.get("parts"))
    if kind in _MODEL:
        facts.model = facts.model or as_str(message.get("model"))
        yield Thoughts(tuple(_thoughts(message, text)))
        yield from _called(message, locator, facts)
    elif kind == "user":
        yield from facts.heard(text, locator)
    elif kind in _HARNESS:
        yield Orphan("harness_message", {"type": kind, "text": text, "locator": locator})
    else:
        yield Orphan("unknown_record", {"type": str(kind)[:80], "locator": locator})


def _thoughts(message: dict[str, Any], text: str | None) -> Iterator[dict[str, Any]]:
    for thought in as_list(message.get("thoughts")):
        fields = as_dict(thought)
        words = [as_str(fields.get(key)) for key in ("subject", "description")]
        if any(words):
            yield {"thinking": "\n".join(word for word in words if word)}
    if text:
        yield {"text": text}


def _called(message: dict[str, Any], locator: str, facts: Facts) -> Iterator[Event]:
    """Give the calls of a message, then their results as they came."""
    results: list[Result] = []
    at = micros(message.get("timestamp"))
    facts.started_at = facts.started_at or at
    for number, item in enumerate(as_list(message.get("toolCalls"))):
        call = as_dict(item)
        place = f"{locator}/toolCalls/{number}" if locator.startswith("/") else locator
        name, call_id = as_str(call.get("name")), as_str(call.get("id"))
        if name is None:
            yield Orphan("orphan_call", {"id": call_id, "locator": place})
            continue
        own = {key: as_str(call.get(name)) for key, name in (("status", "status"), ("agent", "agentId"))}
        own["message_id"] = as_str(message.get("id"))
        extra = {key: value for key, value in own.items() if value}
        key = f"{number}:{call_id}"
        shell = name in _SHELLS
        extra |= {"call_id": call_id} if call_id else {}
        yield Call(key, locator, name, call.get("args"), place, at, extra=extra, shell=shell)
        result = _result(call, key, place, shell=shell)
        results += [result] if result else []
    yield from sorted(results, key=lambda result: result.at or 0)


def _result(call: dict[str, Any], key: str, locator: str, *, shell: bool) -> Result | None:
    said = as_str(call.get("status"))
    if said not in _STATUS and not call.get("result"):
        return None
    told = answer_of(call.get("result"), _STATUS.get(said or "", None if said is None else Status.UNKNOWN), shell=shell)
    if said == "cancelled":
        told.observation, told.shown = None, told.shown or told.observation
    return Result(
        key,
        told.observation,
        outcome=told.outcome,
        shown=told.shown,
        at=micros(call.get("timestamp")),
        lossiness=told.lossiness,
        apart=told.apart,
        locator=locator,
    )
