"""Kimi's `wire.jsonl`: events in `message` (Kimi CLI), or flat records (Kimi Code)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from worldtape.collectors.importers._kimi_result import returned, said_to_model
from worldtape.collectors.importers._pairs import Call, Event, Stop, Thoughts
from worldtape.collectors.importers._sessions import Facts
from worldtape.collectors.importers._threads import Kinds
from worldtape.collectors.importers._tree import Node
from worldtape.collectors.importers._values import as_dict, as_list, as_str, micros, text_of
from worldtape.errors import VersionError
from worldtape.schemas import Orphan, SourceFile

KINDS = Kinds(
    frozenset({None, "metadata", "forked"}),
    ("config.", "context.", "cron.", "file_history.", "full_compaction.", "goal.", "interaction", "llm.", "mcp.",
     "micro_compaction.", "permission.", "plan", "plugin.", "profile.", "prompt.", "runtime.", "staleGuard.",
     "swarm_mode.", "task.", "token_counting.", "tools.", "tower_mode.", "turn.", "usage."),
)  # fmt: skip
_SHELLS = {"Shell", "Bash", "shell", "bash", "PowerShell"}
_MODELS = {"Task", "Agent"}
_HARNESS = ("<system>", "<system-reminder>", "<notification", "<task-notification", "<command-name>")
_CHANGES = {
    "CompactionEnd": "compacted",
    "context.apply_compaction": "compacted",
    "context.clear": "compacted",
    "context.undo": "rewound",
}
_STOPS = {"StepInterrupted", "turn.cancel", "turn.step.interrupted"}
_DEEPEST = 20
COMPACTED = "context has been compacted"
"""Stands in the message that brings the summary of what was there before."""


@dataclass(slots=True)
class KimiFacts(Facts):
    """What a first reading of a session of Kimi finds."""

    late: dict[str, str] = field(default_factory=dict)
    """Arguments of calls that were told after them, by id."""
    names: dict[str, str] = field(default_factory=dict)
    """Tools of open calls."""
    steps: int = 0
    """Turns of the model so far."""

    def called(
        self, call: str | None, told: dict[str, Any], turn: str, at: int | None, locator: str
    ) -> Iterator[Call | Orphan]:
        """Give the call that `told` names: `name` and `arguments`, or both in `function`."""
        function = as_dict(told.get("function")) or told
        name = as_str(function.get("name"))
        if name is None:
            yield Orphan("orphan_call", {"id": call, "locator": locator})
            return
        arguments = function.get("args", function.get("arguments"))
        if call in self.late:
            arguments = (arguments if isinstance(arguments, str) else "") + self.late[call]
        self.names[call or ""] = name
        yield Call(
            call, turn, name, arguments, locator, at=at, shell=name in _SHELLS, seconds=True, delegated=name in _MODELS
        )

    def shell(self, call: str | None) -> bool:
        """Tell of a call that ends whether it ran a command."""
        return self.names.pop(call or "", "") in _SHELLS


def thoughts(content: Any) -> tuple[dict[str, Any], ...]:
    """Return what the model thought and said, of a text or of parts."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
    kinds = {"text": "text", "think": "thinking"}
    return tuple(
        {name: as_dict(part)[key]} for part in parts for key, name in kinds.items() if as_str(as_dict(part).get(key))
    )


def message_events(message: dict[str, Any], at: int | None, locator: str, facts: KimiFacts) -> Iterator[Event]:
    """Read a message of the conversation: one of `context.jsonl`, or one that a wire adds as a whole."""
    role = as_str(message.get("role"))
    if role == "assistant":
        if said := thoughts(message.get("content")):
            yield Thoughts(said)
        for item in as_list(message.get("tool_calls")) or as_list(message.get("toolCalls")):
            yield from facts.called(as_str(as_dict(item).get("id")), as_dict(item), locator, at, locator)
    elif role == "tool":
        call = as_str(message.get("tool_call_id")) or as_str(message.get("toolCallId"))
        yield said_to_model(message, at=at, locator=locator, shell=facts.shell(call))
    elif role == "user":
        origin = as_str(as_dict(message.get("origin")).get("kind"))
        yield from _heard(message.get("content"), origin, locator, facts)
    else:
        facts.other[str(role)[:80]] += 1


def _heard(content: Any, origin: str | None, locator: str, facts: KimiFacts) -> Iterator[Event]:
    """Take words in the user's place: the user's own, or the harness's; pictures alone are a tool's answer, sent on."""
    text = text_of(content)
    words = isinstance(content, str) or any(as_str(as_dict(part).get("text")) for part in as_list(content))
    if not text:
        return
    if COMPACTED in text[:200]:
        yield Orphan("compacted", {"summary": text, "locator": locator})
    elif not words or origin not in (None, "user") or text.lstrip().startswith(_HARNESS):
        yield Orphan("harness_message", {"text": text, "locator": locator})
    else:
        yield from facts.heard(text, locator)


def unwrapped(record: dict[str, Any]) -> tuple[str | None, dict[str, Any], str | None, str | None]:
    """Return (kind, payload, sub-agent, the call that asked it) of a record of either wire."""
    kind, payload = as_str(record.get("type")), record
    side = call = None
    if kind is None:
        message = as_dict(record.get("message"))
        kind, payload = as_str(message.get("type")), as_dict(message.get("payload"))
    elif kind == "context.append_loop_event":
        payload = as_dict(record.get("event"))
        kind = as_str(payload.get("type"))
    for _ in range(_DEEPEST):
        if kind != "SubagentEvent":
            break
        call = as_str(payload.get("parent_tool_call_id")) or as_str(payload.get("task_tool_call_id"))
        side = as_str(payload.get("agent_id")) or call or ""
        inner = as_dict(payload.get("event"))
        kind, payload = as_str(inner.get("type")), as_dict(inner.get("payload"))
    return kind, payload, side, call


class Nodes:
    """Makes the nodes of a wire, and gathers arguments that were told after their calls."""

    def __init__(self, source: SourceFile) -> None:
        self.late: dict[str, str] = {}
        self._source = source
        self._latest: dict[str | None, str | None] = {}

    def node(self, record: dict[str, Any], offset: int, size: int) -> Node:
        """Return the node of a record.

        Raises:
            VersionError: the wire was written by a protocol that is not known.
        """
        kind, payload, side, _ = unwrapped(record)
        version = str(record.get("protocol_version", "1")) if kind == "metadata" else "1"
        if version.partition(".")[0] != "1":
            what = f"written by wire protocol {version[:40]}"
            raise VersionError(what, where=self._source.name, fix="this importer reads 1.x")
        call = _call_id(kind, payload)
        if kind == "ToolCall":
            self._latest[side] = call
        elif kind == "ToolCallPart" and (latest := self._latest.get(side)) is not None:
            self.late[latest] = self.late.get(latest, "") + (as_str(payload.get("arguments_part")) or "")
        return Node(
            None, None, offset, size,
            side=side,
            calls=(call,) if kind in ("ToolCall", "tool.call") else (),
            results=(call,) if kind in ("ToolResult", "tool.result") else (),
            talk=True,
        )  # fmt: skip


def _call_id(kind: str | None, payload: dict[str, Any]) -> str | None:
    if kind == "ToolCall":
        return as_str(payload.get("id"))
    return as_str(payload.get("tool_call_id")) or as_str(payload.get("toolCallId"))


def wire_events(record: dict[str, Any], locator: str, facts: KimiFacts) -> Iterator[Event]:
    """Read a record of either wire."""
    kind, payload, _, asked_by = unwrapped(record)
    at = micros(record.get("timestamp", record.get("time")))
    facts.started_at = facts.started_at or at
    facts.asked_by = facts.asked_by or asked_by
    call = _call_id(kind, payload)
    if kind is None:
        yield Orphan("unknown_record", {"locator": locator})
    elif kind in ("ToolCall", "tool.call"):
        turn = as_str(payload.get("stepUuid")) or str(facts.steps)
        yield from facts.called(call, payload, turn, at, locator)
    elif kind in ("ToolResult", "tool.result"):
        value = as_dict(payload.get("return_value")) or as_dict(payload.get("result"))
        yield returned(call, value, at=at, locator=locator, shell=facts.shell(call))
    elif kind in ("ContentPart", "content.part"):
        if said := thoughts([payload.get("part", payload)]):
            yield Thoughts(said)
    elif kind == "context.append_message":
        yield from message_events(as_dict(payload.get("message")), at, locator, facts)
    elif kind in ("TurnBegin", "SteerInput"):
        yield from _heard(payload.get("user_input"), None, locator, facts)
    elif kind in _STOPS:
        yield Stop(as_str(payload.get("reason")))
        yield Orphan("interrupted", {"reason": as_str(payload.get("reason")), "locator": locator})
    elif kind in _CHANGES:
        yield Orphan(_CHANGES[kind], {"locator": locator})
    else:
        facts.steps += kind == "StepBegin"
        facts.model = facts.model or as_str(payload.get("model"))
        facts.other[str(kind)[:80]] += 1
