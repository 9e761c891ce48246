"""Sessions of Factory's Droid: `~/.factory/sessions/<folder>/<id>.jsonl`, and what `droid exec` prints of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from worldtape.collectors.importers._copies import Copies
from worldtape.collectors.importers._droid_result import MODELS, SHELLS, result_of
from worldtape.collectors.importers._droid_stream import is_stream, streamed
from worldtape.collectors.importers._json import document
from worldtape.collectors.importers._losses import LOGGED
from worldtape.collectors.importers._pairs import Call, Event, Result, Thoughts
from worldtape.collectors.importers._sessions import Facts, head_values
from worldtape.collectors.importers._threads import planted, trajectories
from worldtape.collectors.importers._tree import Node
from worldtape.collectors.importers._values import as_dict, as_list, as_str, kept, micros, text_of, thoughts_of
from worldtape.errors import FormatError, VersionError
from worldtape.schemas import (
    Domain,
    Imported,
    Lossiness,
    Orphan,
    Rejected,
    SourceFile,
    canonical_json,
)

_NEWEST = 2
_KNOWN = {"session_start", "message", "todo_state", "compaction_state", "agent_turn_outcome", "session_end"}
_HIDDEN = {"llm_only", "user_only"}
_REMINDER = re.compile(r"\A\s*<system-reminder>(?:(?!</?system-reminder>).)*</system-reminder>\s*", re.DOTALL)
_LARGEST_SETTINGS = 1 << 20


@dataclass(slots=True)
class _Facts(Facts):
    running: set[str | None] = field(default_factory=set)
    """Calls of a shell that wait for their results."""


class Droid:
    """A tree of messages whose parts are Anthropic's; who acted stands beside it, in `<id>.settings.json`."""

    name: ClassVar[str] = "droid"
    title: ClassVar[str] = "Factory Droid sessions"
    versions: ClassVar[str] = "1–2, and the stream of `droid exec`"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (*LOGGED, Lossiness.SYNTHETIC_OBS, Lossiness.WALL_CLOCK_ONLY)

    def sniff(self, source: SourceFile) -> bool:
        """See `Importer`."""
        values = head_values(source.head)
        first, second = next(values, {}), next(values, {})
        if first.get("type") != "session_start" or not isinstance(first.get("id"), str):
            return is_stream(source.head)
        told = bool(first.keys() & {"cwd", "title", "sessionTitle"}) and as_str(second.get("type")) in _KNOWN
        return told and (second["type"] != "message" or isinstance(second.get("message"), dict))

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """See `Importer`."""
        if is_stream(source.head):
            yield streamed(self.name, source)
            return
        header = next(head_values(source.head), {})
        header = header if header.get("type") == "session_start" else {}
        version = _version(header, source)
        program = version if isinstance(version, str) else None
        caller, forked = as_str(header.get("callingSessionId")), as_str(header.get("parent"))
        settings = _settings(source)

        def facts() -> _Facts:
            return _Facts(session=as_str(header.get("id")), cwd=as_str(header.get("cwd")), version=program)

        copies = Copies(source, forked)
        aside = _Aside(copies)
        tree, notes = planted(source, _KNOWN, aside.node)
        tree.copies += copies.messages
        notes += aside.notes
        for made in trajectories(self.name, source, tree, notes, facts, _events, resumed=caller or forked):
            if isinstance(made, Imported):
                copies.place(made)
                _complete(made, header, settings)
                made.extra |= {"records": dict(aside.other)} if aside.other and not made.locator else {}
            yield made


def _version(header: dict[str, Any], source: SourceFile) -> int | str | None:
    """Return the version of the format, or a text where it is the program's.

    Raises:
        VersionError: the format is newer than 2.
    """
    version = header.get("version")
    if isinstance(version, (int, float)) and not 1 <= version <= _NEWEST:
        raise VersionError(f"session version {str(version)[:40]} is unknown; 1 and 2 are read", where=source.name)
    return version if isinstance(version, (int, str)) and not isinstance(version, bool) else None


def _settings(source: SourceFile) -> dict[str, Any]:
    """Return the settings that stand beside a session; empty where there are none."""
    file = source.sibling(source.name.rpartition("/")[2].removesuffix(".jsonl") + ".settings.json")
    if file is None or file.size > _LARGEST_SETTINGS:
        return {}
    try:
        return as_dict(document(file))
    except FormatError:
        return {}


def _complete(made: Imported, header: dict[str, Any], settings: dict[str, Any]) -> None:
    """Tell what the header and the settings tell of the whole session."""
    told = kept(header, "type", "id", "cwd", "version", "owner", "hostId")
    made.extra |= {"header": told} if told else {}
    version = header.get("version")
    made.extra |= {"format_version": version} if isinstance(version, int) else {}
    if made.policy.model is None and (model := as_str(settings.get("model"))):
        made.policy = made.policy.model_copy(update={"model": model})
    if made.lineage.kind == "resumed" and as_str(header.get("callingSessionId")):
        made.lineage = made.lineage.model_copy(update={"kind": "subagent"})


class _Aside:
    """Keeps what stands between the messages: it has no parents, so it is the session's, and no thread's."""

    def __init__(self, copies: Copies) -> None:
        self.notes: list[Orphan] = []
        self.other: Counter[str] = Counter()
        self._copies = copies

    def node(self, record: dict[str, Any], offset: int, size: int) -> Node | None:
        """Return the node of a message, or of the header, which the first message may name as its parent."""
        kind = record["type"]
        if kind in ("message", "session_start"):
            return _node(record, offset, size, self._copies)
        if self._copies.take(record, 0):
            return None
        if kind == "compaction_state":
            told = {"summary": as_str(record.get("summaryText")), "locator": f"bytes:{offset}-{offset + size}"}
            self.notes.append(Orphan("compacted", kept(told)))
        else:
            self.other[kind] += 1
        return None


def _node(record: dict[str, Any], offset: int, size: int, copies: Copies) -> Node | None:
    parts = _parts(record)
    talk = record["type"] == "message"
    calls = tuple(as_str(part.get("id")) for part in parts if part.get("type") == "tool_use")
    if talk and copies.take(record, len(calls)):
        return None
    return Node(
        as_str(record.get("id")),
        copies.parent(as_str(record.get("parentId"))),
        offset,
        size,
        calls=calls,
        results=tuple(_called(part) for part in parts if part.get("type") == "tool_result"),
        talk=talk,
        digest=hash(canonical_json([record["type"], record.get("message")])) if talk else 0,
    )


def _parts(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a message; a text alone is one."""
    content = as_dict(record.get("message")).get("content")
    items = [content] if isinstance(content, str) else as_list(content)
    return [{"type": "text", "text": item} if isinstance(item, str) else as_dict(item) for item in items]


def _called(part: dict[str, Any]) -> str | None:
    return as_str(part.get("tool_use_id")) or as_str(part.get("toolUseId"))


def _events(record: dict[str, Any], locator: str, facts: _Facts) -> Iterator[Event]:
    facts.started_at = facts.started_at or micros(record.get("timestamp"))
    message = as_dict(record.get("message"))
    said = message.get("role") == "assistant"
    yield from _said(record, message, locator, facts) if said else _heard(record, message, locator, facts)


def _said(record: dict[str, Any], message: dict[str, Any], locator: str, facts: _Facts) -> Iterator[Event]:
    at, turn = micros(record.get("timestamp")), as_str(record.get("id"))
    model = as_str(message.get("modelId"))
    for part in _parts(record):
        if part.get("type") == "tool_use":
            call, name = as_str(part.get("id")), as_str(part.get("name"))
            if name is None:
                yield Orphan("orphan_call", {"id": call, "locator": locator})
                continue
            facts.model = facts.model or model
            if name in SHELLS:
                facts.running.add(call)
            own = {"entry": turn, "model": None if model == facts.model else model}
            yield Call(
                call, turn or locator, name, part.get("input"), locator, at=at, shell=name in SHELLS, seconds=True,
                delegated=name in MODELS,
                extra={key: value for key, value in own.items() if value},
            )  # fmt: skip
        elif part.get("type") == "tool_result":
            yield _result(part, at, locator, facts)
        else:
            yield Thoughts(thoughts_of(**{key: part.get(key) for key in ("thinking", "text")}))


def _heard(record: dict[str, Any], message: dict[str, Any], locator: str, facts: _Facts) -> Iterator[Event]:
    """Read results, the user's words, and what the harness puts among them."""
    parts = _parts(record)
    at = micros(record.get("timestamp"))
    for part in parts:
        if part.get("type") == "tool_result":
            yield _result(part, at, locator, facts)
    hook = as_str(message.get("hookEventName"))
    hidden = bool(hook) or bool(_HIDDEN & {as_str(message.get("visibility")), as_str(record.get("visibility"))})
    if hook:
        yield Orphan("harness_message", {**kept(message, "role", "content"), "locator": locator})
    for part in parts:
        text = None if part.get("type") == "tool_result" else text_of(part)
        while text and (reminder := None if hidden else _REMINDER.match(text)):
            yield Orphan("harness_message", {"text": reminder[0].strip(), "locator": locator})
            text = text[reminder.end() :]
        if text and hidden:
            yield Orphan("harness_message", {"text": text, "locator": locator})
        elif text:
            yield from facts.heard(text, locator)


def _result(part: dict[str, Any], at: int | None, locator: str, facts: _Facts) -> Result:
    call = _called(part)
    shell = call in facts.running
    facts.running.discard(call)
    error = part.get("is_error") is True or part.get("isError") is True
    return result_of(call, text_of(part.get("content")), at, locator, error=error, shell=shell)
