"""Rollouts of Codex: `~/.codex/sessions/…/rollout-*.jsonl`, those of its early versions included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from worldtape.collectors.importers._codex_result import Ran, ended, result_of
from worldtape.collectors.importers._head import first_value
from worldtape.collectors.importers._json import document, records
from worldtape.collectors.importers._pairs import Call, Event, Result, Stop, Thoughts
from worldtape.collectors.importers._sessions import LOSSES, Facts, Session, head_values, refuse_silence
from worldtape.collectors.importers._values import as_dict, as_list, as_str, micros, text_of
from worldtape.errors import FormatError, InputError
from worldtape.schemas import (
    Domain,
    Imported,
    Lineage,
    Lossiness,
    Orphan,
    Outcome,
    Rejected,
    SourceFile,
    Status,
    canonical_json,
)

_KINDS = {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"}
_ASIDE = {"turn_context", "world_state", "inter_agent_communication_metadata", "state"}
_ITEMS = {"message", "reasoning", "function_call", "function_call_output", "local_shell_call"}
_CALLS = {"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"}
_CALLS |= {"image_generation_call", "computer_call", "mcp_call"}
_REMOTE = {"web_search_call", "image_generation_call"}
"""Done by the provider: what came of it is not in the rollout."""
_NO_ITEMS = {"ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger", "agent_message"}
_SHELLS = {"shell", "shell_command", "local_shell", "exec_command", "write_stdin", "container.exec", "unified_exec"}
_HARNESS = (
    "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "# AGENTS.md instructions", "<permissions",
    "<turn_aborted>", "<user_shell_command>", "<skill>", "<collaboration_mode>", "<subagent_notification>",
)  # fmt: skip
_CALL_ID = ("call_id", "id")


@dataclass(slots=True)
class _Facts(Facts):
    meta: dict[str, Any] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)
    ran: dict[str, Ran] = field(default_factory=dict)
    """What events tell of calls: exit codes and durations, by call id."""


class Codex:
    """Takes calls and outputs from the response items; exit codes and durations also from the events beside them."""

    name: ClassVar[str] = "codex"
    title: ClassVar[str] = "Codex rollouts"
    versions: ClassVar[str] = "TypeScript CLI 0.1, Rust CLI 0.2–0.146 (the records carry no version of their own)"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = LOSSES

    def sniff(self, source: SourceFile) -> bool:
        """See `Importer`."""
        if _is_document(source):
            return True
        early = False
        for value in head_values(source.head):
            if _is_drawing(value):
                return True
            if as_str(value.get("type")) in _KINDS and isinstance(value.get("payload"), dict):
                return True
            if early:
                return as_str(value.get("type")) in _ITEMS or "record_type" in value
            early = {"id", "timestamp", "instructions"} <= value.keys()
            if not early:
                return False
        return early

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """See `Importer`."""
        if any(_is_drawing(value) for value in head_values(source.head)):
            raise InputError(
                "what Codex drew on the screen, not what it did", where=source.name, fix="give the rollout"
            )
        facts = _Facts()
        for _, record in _objects(source):
            _scan(record, facts)
        facts.session, facts.version = _session_id(facts.meta), as_str(facts.meta.get("cli_version"))
        facts.cwd = as_str(facts.meta.get("cwd")) or as_str(facts.context.get("cwd"))
        facts.model = as_str(facts.context.get("model"))
        found = Session(source, lambda: _events(source, facts), facts)
        refuse_silence(found.plan.calls, source)
        made = found.imported(self.name)
        _describe(made, facts)
        yield made


def _is_document(source: SourceFile) -> bool:
    """Tell a session of the TypeScript CLI, which is one document."""
    value = as_dict(first_value(source))
    return {"id", "instructions"} <= as_dict(value.get("session")).keys() and isinstance(value.get("items", []), list)


def _is_drawing(value: dict[str, Any]) -> bool:
    return value.get("dir") in ("meta", "to_tui", "from_tui") and "ts" in value and "kind" in value


def _session_id(meta: dict[str, Any]) -> str | None:
    return as_str(meta.get("id")) or as_str(meta.get("session_id"))


def _describe(made: Imported, facts: _Facts) -> None:
    meta, context = facts.meta, facts.context
    told = {"git": as_dict(meta.get("git"))} | {key: context.get(key) for key in ("sandbox_policy", "approval_policy")}
    made.environment.parameters.update({key: value for key, value in told.items() if value})
    if as_str(context.get("effort")):
        made.policy.parameters["effort"] = context["effort"]
    made.started_at = micros(meta.get("timestamp")) or facts.started_at
    spawned = as_dict(as_dict(as_dict(meta.get("source")).get("subagent")).get("thread_spawn"))
    above = as_str(spawned.get("parent_thread_id")) or as_str(meta.get("parent_thread_id"))
    forked = as_str(meta.get("forked_from_id"))
    if above or forked:
        made.lineage = Lineage(parent=above or forked, kind="subagent" if above else "fork")
    own = {key: meta[key] for key in ("originator", "source", "model_provider") if as_str(meta.get(key))}
    made.extra |= {"session": own} if own else {}


def _records(source: SourceFile) -> Iterator[tuple[str, Any] | Orphan]:
    if not _is_document(source):
        yield from records(source)
        return
    whole = as_dict(document(source))
    yield "/session", {"type": "session_meta", "payload": whole.get("session")}
    yield from ((f"/items/{number}", item) for number, item in enumerate(as_list(whole.get("items"))))


def _objects(source: SourceFile) -> Iterator[tuple[str, dict[str, Any]]]:
    for record in _records(source):
        if isinstance(record, tuple) and isinstance(record[1], dict):
            yield record[0], record[1]


def _parts(record: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Return (kind of record, payload) of a record of any version."""
    kind, payload = as_str(record.get("type")), record.get("payload")
    if kind in _KINDS | _ASIDE and isinstance(payload, dict):
        inner = payload.get("payload")
        return kind, inner if kind == "response_item" and isinstance(inner, dict) and "type" in inner else payload
    if kind is None and "record_type" in record:
        return "state", record
    if kind is None and "instructions" in record and "id" in record:
        return "session_meta", record
    return ("response_item", record) if kind and "payload" not in record else (kind, {})


def _scan(record: dict[str, Any], facts: _Facts) -> None:
    kind, payload = _parts(record)
    facts.started_at = facts.started_at or micros(record.get("timestamp"))
    if kind == "session_meta":
        facts.meta = facts.meta or payload
    elif kind == "turn_context":
        facts.context = facts.context or payload
    elif kind == "event_msg":
        found = ended(payload)
        if found is not None:
            facts.ran.setdefault(*found)
    elif kind == "response_item" and facts.prompt is None and payload.get("role") == "user":
        text = text_of(payload.get("content"))
        facts.prompt = text if text and not text.lstrip().startswith(_HARNESS) else None


def _events(source: SourceFile, facts: _Facts) -> Iterator[Event]:
    turns = _Turns()
    said_prompt = False
    facts.other.clear()
    for entry in _records(source):
        if isinstance(entry, Orphan):
            yield entry
            continue
        locator, record = entry
        if not isinstance(record, dict):
            yield Orphan("bad_line", {"locator": locator, "reason": f"no object but {type(record).__name__}"})
            continue
        kind, payload = _parts(record)
        at = micros(record.get("timestamp"))
        if kind != "response_item":
            yield from _aside(kind, payload, at, locator, facts)
        elif payload.get("role") == "user" and not said_prompt and text_of(payload.get("content")) == facts.prompt:
            said_prompt = True
        else:
            yield from _item(payload, at, locator, facts, turns)


def _aside(kind: str | None, payload: dict[str, Any], at: int | None, locator: str, facts: _Facts) -> Iterator[Event]:
    """Read a record that is no item of the conversation."""
    if kind == "event_msg":
        yield from _notice(payload, at, locator, facts)
    elif kind == "compacted":
        copies = len(as_list(payload.get("replacement_history")))
        yield Orphan("compacted", {"locator": locator, "copied_context": copies})
    elif kind == "session_meta":
        if _session_id(payload) != _session_id(facts.meta):
            yield Orphan("copied_context", {"session_id": _session_id(payload), "locator": locator})
    elif kind not in _ASIDE:
        yield Orphan("unknown_record", {"type": str(kind)[:80], "locator": locator})


class _Turns:
    """Calls without an output between them are of one turn; rollouts do not name turns of the model."""

    def __init__(self) -> None:
        self._number = 0
        self._answered = False

    def of_call(self) -> str:
        self._number += self._answered
        self._answered = False
        return str(self._number)

    def end(self) -> None:
        self._answered = True


def _item(payload: dict[str, Any], at: int | None, locator: str, facts: _Facts, turns: _Turns) -> Iterator[Event]:
    kind = as_str(payload.get("type")) or ("message" if "role" in payload else None)
    if kind in _CALLS:
        call = _call(kind, payload, at, locator, turns)
        yield call or Orphan("orphan_call", {"locator": locator, "type": kind})
    elif kind is not None and kind.endswith("_output"):
        turns.end()
        yield result_of(payload, facts.ran, at, locator)
    elif kind == "message":
        turns.end()
        yield from _message(payload, locator)
    elif kind == "reasoning":
        turns.end()
        texts = [text_of(payload.get("summary")), text_of(payload.get("content"))]
        said = tuple({"thinking": text} for text in texts if text)
        if said:
            yield Thoughts(said)
    elif kind in _NO_ITEMS:
        facts.other[str(kind)] += 1
    else:
        yield Orphan("unknown_record", {"type": str(kind)[:80], "locator": locator})


def _message(payload: dict[str, Any], locator: str) -> Iterator[Event]:
    text, role = text_of(payload.get("content")), payload.get("role")
    if not text:
        return
    if role == "assistant":
        yield Thoughts(({"text": text},))
    elif role == "user" and not text.lstrip().startswith(_HARNESS):
        yield Orphan("user_message", {"text": text, "locator": locator})
    else:
        yield Orphan("harness_message", {"role": as_str(role), "text": text, "locator": locator})


def _call(kind: str, payload: dict[str, Any], at: int | None, locator: str, turns: _Turns) -> Call | None:
    function = as_dict(payload.get("function"))
    name = as_str(payload.get("name")) or as_str(function.get("name"))
    arguments = payload.get("arguments", function.get("arguments"))
    raw = None
    if kind == "local_shell_call":
        name, arguments = "local_shell", as_dict(payload.get("action"))
    elif kind == "custom_tool_call":
        arguments, raw = _free(payload.get("input"))
    elif kind == "web_search_call":
        name, arguments = name or "web_search", payload.get("action")
    elif kind not in ("function_call", "mcp_call"):
        name = name or kind.removesuffix("_call")
        arguments = arguments if arguments is not None else {key: payload[key] for key in ("action",) if key in payload}
    if name is None:
        return None
    own = {"namespace": as_str(payload.get("namespace")), "status": as_str(payload.get("status"))}
    own["type"] = kind if kind != "function_call" else None
    own["summary"] = as_str(payload.get("summary"))
    call_id = next((found for key in _CALL_ID if (found := as_str(payload.get(key)))), None)
    extra = {key: value for key, value in own.items() if value}
    done = kind in _REMOTE and payload.get("status") == "completed"
    shell = name.rpartition("__")[2] in _SHELLS
    return Call(
        call_id, turns.of_call(), name, arguments, locator,
        at=at, raw=raw, extra=extra, shell=shell, ended=Outcome(status=Status.OK) if done else None,
    )  # fmt: skip


def _free(text: Any) -> tuple[Any, str | None]:
    """Return (arguments, the text itself) of a call whose input is free text: `input`, unless it is an object."""
    if not isinstance(text, str):
        return text, None
    if text.lstrip().startswith("{"):
        from worldtape.collectors.importers._json import parse

        try:
            value = parse(text.encode())
        except FormatError:
            value = None
        if isinstance(value, dict):
            return value, text if canonical_json(value) != text else None
    return {"input": text}, text


def _notice(payload: dict[str, Any], at: int | None, locator: str, facts: _Facts) -> Iterator[Event]:
    """Read an event of the interface: it says again what the items say, but for results of searches and aborts."""
    kind = as_str(payload.get("type"))
    facts.other[str(kind)[:80]] += 1
    if kind == "turn_aborted":
        yield Stop(as_str(payload.get("reason")))
        yield Orphan("interrupted", {"reason": as_str(payload.get("reason")), "locator": locator})
    elif kind == "web_search_end" and payload.get("results"):
        text = canonical_json(payload["results"])
        yield Result(as_str(payload.get("call_id")), text, at=at, locator=locator, secondary=True)
