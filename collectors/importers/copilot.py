"""Sessions of GitHub Copilot's CLI and coding agent: `~/.copilot/session-state/<session>/events.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from worldtape.collectors.importers._copilot_result import result_of
from worldtape.collectors.importers._pairs import Call, Event, Stop, Thoughts
from worldtape.collectors.importers._sessions import LOSSES, Facts, head_values
from worldtape.collectors.importers._threads import Kinds, planted, trajectories
from worldtape.collectors.importers._tree import Node
from worldtape.collectors.importers._values import as_dict, as_int, as_list, as_str, micros, text_of
from worldtape.errors import VersionError
from worldtape.schemas import Domain, Imported, Lossiness, Orphan, Rejected, SourceFile, canonical_json

_VERSION = 1
_KNOWN = Kinds(
    frozenset({"abort", "result"}),
    ("session.", "user.", "assistant.", "tool.", "system.", "subagent.", "hook.", "skill.", "permission."),
)
_TALK = {"user.message", "assistant.message", "tool.execution_complete"}
_STARTS = {"tool.execution_start", "tool.user_requested"}
_SHELLS = {"bash", "powershell", "shell", "read_bash", "write_bash", "read_powershell", "write_powershell"}
_MODELS = {"task"}
_CHANGES = {
    "session.compaction_complete": "compacted",
    "session.truncation": "compacted",
    "session.snapshot_rewind": "rewound",
}
_HARNESS = {"system.message", "system.notification", "session.error", "session.warning"}


@dataclass(slots=True)
class _Facts(Facts):
    own: dict[str, str] = field(default_factory=dict)
    """Calls that no message of the model names, with the event that tells them: the user's own."""
    names: dict[str, str] = field(default_factory=dict)
    """Tools of open calls."""
    starts: dict[str, int] = field(default_factory=dict)
    """When open calls began to run."""
    reasoned: str | None = None


class Copilot:
    """Takes calls from the messages of the model and results from the events that end them."""

    name: ClassVar[str] = "copilot"
    title: ClassVar[str] = "GitHub Copilot CLI and coding agent sessions"
    versions: ClassVar[str] = "event format 1"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (*LOSSES, Lossiness.SYNTHETIC_OBS)

    def sniff(self, source: SourceFile) -> bool:
        """See `Importer`."""
        for value in head_values(source.head):
            kind, data = as_str(value.get("type")), value.get("data")
            if kind not in _KNOWN or not isinstance(data, dict) or not value.keys() & {"id", "parentId"}:
                return False
            if kind == "session.start":
                return "sessionId" in data
            if kind in _TALK or kind in _STARTS:
                return "parentId" in value
        return False

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """See `Importer`."""
        nodes = _Nodes(source)
        tree, notes = planted(source, _KNOWN, nodes.node)
        yield from trajectories(self.name, source, tree, notes, lambda: _Facts(own=nodes.own), _events)


class _Nodes:
    """Makes the nodes of a file, and learns which calls the model did not ask for."""

    def __init__(self, source: SourceFile) -> None:
        self.own: dict[str, str] = {}
        self._requested: set[str] = set()
        self._source = source

    def node(self, record: dict[str, Any], offset: int, size: int) -> Node | None:
        """Return the node of an event; null: it was shown while something went on, and tells nothing of its own.

        Raises:
            VersionError: the session was written in a format that is not known.
        """
        kind, data = record["type"], as_dict(record.get("data"))
        if record.get("ephemeral") is True or kind.endswith("_delta"):
            return None
        if kind == "session.start" and (as_int(data.get("version")) or _VERSION) > _VERSION:
            what = f"written in version {data['version']} of the event format"
            raise VersionError(what, where=self._source.name, fix=f"this importer reads version {_VERSION}")
        calls = self._calls(kind, data, f"bytes:{offset}-{offset + size}")
        return Node(
            as_str(record.get("id")),
            as_str(record.get("parentId")),
            offset,
            size,
            side=as_str(record.get("agentId")) or as_str(data.get("parentToolCallId")),
            calls=calls,
            results=(as_str(data.get("toolCallId")),) if kind == "tool.execution_complete" else (),
            talk=True,
            digest=hash(canonical_json([kind, record.get("data")])),
        )

    def _calls(self, kind: str, data: dict[str, Any], locator: str) -> tuple[str | None, ...]:
        if kind == "assistant.message":
            found = [as_str(request.get("toolCallId")) for request in _requests(data)]
            for call in found:
                if call is not None:
                    self._requested.add(call)
                    self.own.pop(call, None)
            return tuple(found)
        started = as_str(data.get("toolCallId")) if kind in _STARTS else None
        if started is None or started in self._requested or started in self.own:
            return ()
        self.own[started] = locator
        return (started,)


def _requests(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [request for request in as_list(data.get("toolRequests")) if isinstance(request, dict)]


def _events(record: dict[str, Any], locator: str, facts: _Facts) -> Iterator[Event]:
    kind, data, at = record["type"], as_dict(record.get("data")), micros(record.get("timestamp"))
    facts.started_at = facts.started_at or at
    facts.asked_by = facts.asked_by or as_str(data.get("parentToolCallId"))
    if kind == "assistant.message":
        yield from _said(record, data, at, locator, facts)
    elif kind in _STARTS:
        yield from _started(data, at, locator, facts)
    elif kind == "tool.execution_complete":
        call = as_str(data.get("toolCallId")) or ""
        name = facts.names.pop(call, "")
        started_at = facts.starts.pop(call, None)
        yield result_of(data, at=at, started_at=started_at, locator=locator, shell=name in _SHELLS)
    elif kind == "user.message":
        yield from _heard(data, locator, facts)
    elif kind == "assistant.reasoning" and (text := as_str(data.get("content"))):
        facts.reasoned = text
        yield Thoughts(({"thinking": text},))
    elif kind == "abort":
        yield Stop(as_str(data.get("reason")))
        yield Orphan("interrupted", {"reason": as_str(data.get("reason")), "locator": locator})
    elif kind in _CHANGES and data.get("success") is not False:
        yield Orphan(_CHANGES[kind], {"locator": locator})
    elif kind in _HARNESS:
        text = text_of(data.get("content")) or as_str(data.get("message"))
        yield Orphan("harness_message", {"type": kind, "text": text, "locator": locator})
    else:
        _learn(kind, data, facts)


def _learn(kind: str, data: dict[str, Any], facts: _Facts) -> None:
    """Take what an event tells of the session."""
    facts.other[kind[:80]] += 1
    if kind in ("session.start", "session.resume"):
        place = as_dict(data.get("context"))
        facts.session = facts.session or as_str(data.get("sessionId"))
        facts.version = facts.version or as_str(data.get("copilotVersion"))
        facts.model = facts.model or as_str(data.get("selectedModel"))
        facts.cwd = facts.cwd or as_str(place.get("cwd"))
        facts.branch = facts.branch or as_str(place.get("branch"))
    elif kind == "session.model_change":
        facts.model = facts.model or as_str(data.get("newModel"))
    elif kind == "subagent.started":
        facts.asked_by = facts.asked_by or as_str(data.get("toolCallId"))


def _heard(data: dict[str, Any], locator: str, facts: _Facts) -> Iterator[Event]:
    text, origin = text_of(data.get("content")), as_str(data.get("source"))
    if origin in (None, "user"):
        yield from facts.heard(text, locator)
    else:
        yield Orphan("harness_message", {"source": origin, "text": text, "locator": locator})


def _said(record: dict[str, Any], data: dict[str, Any], at: int | None, locator: str, facts: _Facts) -> Iterator[Event]:
    """Read a message of the model: its reasoning (unless an event told it before), its words, its calls."""
    facts.model = facts.model or as_str(data.get("model"))
    reasoning, text = as_str(data.get("reasoningText")), text_of(data.get("content"))
    said = [{"thinking": reasoning}] if reasoning and reasoning != facts.reasoned else []
    said += [{"text": text}] if text else []
    facts.reasoned = None
    if said:
        yield Thoughts(tuple(said))
    turn = as_str(data.get("messageId")) or as_str(record.get("id")) or locator
    for request in _requests(data):
        yield _call(request, request.get("name"), turn, at, locator, facts)


def _started(data: dict[str, Any], at: int | None, locator: str, facts: _Facts) -> Iterator[Event]:
    call = as_str(data.get("toolCallId"))
    if call is not None and facts.own.get(call) != locator:
        if at is not None:
            facts.starts[call] = at
        return
    yield _call(data, data.get("toolName"), None, at, locator, facts)


def _call(
    told: dict[str, Any], called: Any, turn: str | None, at: int | None, locator: str, facts: _Facts
) -> Call | Orphan:
    name, call = as_str(called), as_str(told.get("toolCallId"))
    if name is None:
        return Orphan("orphan_call", {"id": call, "locator": locator})
    facts.names[call or ""] = name
    own = {"mcp_server": told.get("mcpServerName"), "mcp_tool": told.get("mcpToolName"), "message_id": turn}
    return Call(
        call, turn, name, told.get("arguments"), locator,
        at=at, extra={key: value for key, value in own.items() if as_str(value)}, shell=name in _SHELLS,
        seconds=True, delegated=name in _MODELS, actor="agent" if turn else "human",
    )  # fmt: skip
