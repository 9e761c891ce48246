"""Sessions of Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from worldtape.collectors.importers._gemini_result import answer_of
from worldtape.collectors.importers._pairs import Call, Event, Plan, Result, Thoughts, paired
from worldtape.collectors.importers._sessions import head_values, parent_of, refuse_silence, session
from worldtape.collectors.importers._tree import Node, Thread, Tree, indexed
from worldtape.collectors.importers._values import as_dict, as_float, as_list, as_str, micros
from worldtape.schemas import (
    Domain,
    EnvironmentSpec,
    Imported,
    Lineage,
    Lossiness,
    Orphan,
    PolicySpec,
    Rejected,
    SourceFile,
    Status,
    canonical_json,
)

_TALK = {"user", "assistant", "tool_result"}
_SHELLS = {"run_shell_command"}
_MODELS = {"task", "agent"}
_STATUS = {"success": Status.OK, "error": Status.TOOL_ERROR, "cancelled": Status.INTERRUPTED}
_INVALID = {"invalid_tool_params", "tool_not_registered"}
_DENIED = {"execution_denied"}


@dataclass(slots=True)
class _Facts:
    """What a first reading finds."""

    model: str | None = None
    version: str | None = None
    cwd: str | None = None
    session: str | None = None
    prompt: str | None = None
    started_at: int | None = None
    other: Counter[str] = field(default_factory=Counter)


class QwenCode:
    """Follows the conversation to its last word, as for Claude Code; parts are those of Gemini."""

    name: ClassVar[str] = "qwen-code"
    title: ClassVar[str] = "Qwen Code sessions"
    versions: ClassVar[str] = "0.18 (the records carry no version of their own)"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (
        Lossiness.MERGED_STREAMS,
        Lossiness.NO_ENV_IMAGE,
        Lossiness.NO_EXIT_CODE,
        Lossiness.NO_INITIAL_STATE,
        Lossiness.NO_PROBES,
        Lossiness.NO_TIMESTAMPS,
        Lossiness.NO_TOOL_SCHEMAS,
        Lossiness.OBS_TEMPLATED,
        Lossiness.SYNTHETIC_OBS,
        Lossiness.TAIL_MISSING,
        Lossiness.TRUNCATED_NO_FULL,
        Lossiness.WALL_CLOCK_ONLY,
    )

    def sniff(self, source: SourceFile) -> bool:
        """See `Importer`."""
        for value in head_values(source.head):
            if not {"uuid", "parentUuid", "sessionId", "type"} <= value.keys():
                return False
            if as_str(value["type"]) in _TALK:
                return isinstance(as_dict(value.get("message")).get("parts"), list)
            if value["type"] != "system" or "message" in value:
                return False
        return False

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """See `Importer`."""
        tree, notes = _index(source)
        threads = tree.threads()
        notes += [Orphan("copied_context", {"count": tree.copies})] if tree.copies else []
        notes += [Orphan("unknown_parent", {"count": tree.phantoms})] if tree.phantoms else []
        locators = tree.locators(threads)
        made = [_imported(source, tree, thread, locators, number) for number, thread in enumerate(threads)]
        refuse_silence(sum(plan.calls for plan, _ in made), source)
        for plan, record in made:
            if not plan.calls:
                yield Rejected(record.locator, "no tool was called: nothing that an environment answered")
                continue
            record.steps = _noted(notes, record)
            notes = []
            yield record


def _noted(notes: list[Orphan], record: Imported) -> Any:
    steps = record.steps

    def give() -> Iterator[Any]:
        yield from notes
        for item in steps:
            if not isinstance(item, Orphan) and item.action.name in _MODELS and item.observation is not None:
                item.lossiness = (*item.lossiness, Lossiness.SYNTHETIC_OBS)
            yield item

    return give()


def _imported(
    source: SourceFile, tree: Tree, thread: Thread, locators: list[str], number: int
) -> tuple[Plan, Imported]:
    facts = _Facts()

    def events() -> Iterator[Event]:
        for locator, record in tree.read(source, thread.records):
            yield from _events(record, locator, facts)

    plan = Plan(events())
    made = session(
        source, locators[number], plan, paired(events(), plan), session_id=facts.session, instruction=facts.prompt
    )
    made.environment = EnvironmentSpec(
        kind="qwen-code",
        versions={"qwen-code": facts.version} if facts.version else {},
        parameters={"cwd": facts.cwd} if facts.cwd else {},
    )
    made.policy = PolicySpec(kind="imported", model=facts.model)
    made.started_at = facts.started_at
    made.lossiness += (Lossiness.WALL_CLOCK_ONLY if facts.started_at else Lossiness.NO_TIMESTAMPS,)
    made.extra |= {"format_version": facts.version} if facts.version else {}
    made.extra |= {"records": dict(facts.other)} if facts.other else {}
    if thread.kind:
        above = None if thread.parent is None else locators[thread.parent]
        parent = parent_of(QwenCode.name, source, above, facts.session)
        made.lineage = Lineage(parent=parent, step=thread.step, kind=thread.kind)
    return plan, made


def _index(source: SourceFile) -> tuple[Tree, list[Orphan]]:
    tree = Tree()
    notes: list[Orphan] = []
    unknown: Counter[str] = Counter()
    for item in indexed(source):
        if isinstance(item, Orphan):
            notes.append(item)
            continue
        offset, size, record = item
        kind = as_str(record.get("type"))
        if kind in _TALK or kind == "system":
            tree.add(_node(record, offset, size))
        else:
            unknown[str(kind)[:80]] += 1
    notes += [Orphan("unknown_record", {"type": kind, "count": count}) for kind, count in unknown.items()]
    return tree, notes


def _node(record: dict[str, Any], offset: int, size: int) -> Node:
    parts = _parts(record)
    talk = record["type"] in _TALK
    return Node(
        as_str(record.get("uuid")),
        as_str(record.get("parentUuid")),
        offset,
        size,
        side=(as_str(record.get("agentId")) or "") if record.get("isSidechain") is True else None,
        calls=tuple(as_str(part["functionCall"].get("id")) for part in parts if "functionCall" in part),
        results=tuple(as_str(part["functionResponse"].get("id")) for part in parts if "functionResponse" in part),
        talk=talk,
        prompt=record["type"] == "user" and "parentUuid" in record,
        digest=hash(canonical_json([record["type"], record.get("message")])) if talk else 0,
    )


def _parts(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a message; a call or response that is no object is none."""
    found = []
    for item in as_list(as_dict(record.get("message")).get("parts")):
        part = as_dict(item)
        if all(isinstance(part.get(key, {}), dict) for key in ("functionCall", "functionResponse")):
            found.append(part)
    return found


def _events(record: dict[str, Any], locator: str, facts: _Facts) -> Iterator[Event]:
    facts.version = facts.version or as_str(record.get("version"))
    facts.cwd = facts.cwd or as_str(record.get("cwd"))
    facts.session = facts.session or as_str(record.get("sessionId"))
    facts.started_at = facts.started_at or micros(record.get("timestamp"))
    kind = record["type"]
    if kind == "system":
        yield from _system(record, locator, facts)
    elif kind == "assistant":
        facts.model = facts.model or as_str(record.get("model"))
        yield from _said(record, locator)
    else:
        yield from _heard(record, locator, facts)


def _system(record: dict[str, Any], locator: str, facts: _Facts) -> Iterator[Event]:
    subtype = as_str(record.get("subtype")) or "system"
    facts.other[subtype] += 1
    if subtype == "chat_compression":
        yield Orphan("compacted", {"locator": locator})


def _said(record: dict[str, Any], locator: str) -> Iterator[Event]:
    thoughts: list[dict[str, Any]] = []
    for part in _parts(record):
        if "functionCall" in part:
            call = part["functionCall"]
            name = as_str(call.get("name"))
            if name is None:
                yield Orphan("orphan_call", {"id": as_str(call.get("id")), "locator": locator})
                continue
            turn = as_str(record.get("uuid")) or locator
            yield Call(
                as_str(call.get("id")), turn, name, call.get("args"), locator,
                at=micros(record.get("timestamp")), thoughts=tuple(thoughts), shell=name in _SHELLS,
                extra={"uuid": turn},
            )  # fmt: skip
            thoughts = []
        elif as_str(part.get("text")):
            thoughts.append({"thinking" if part.get("thought") is True else "text": part["text"]})
    if thoughts:
        yield Thoughts(tuple(thoughts))


def _heard(record: dict[str, Any], locator: str, facts: _Facts) -> Iterator[Event]:
    parts = _parts(record)
    results = [part for part in parts if "functionResponse" in part]
    for part in results:
        yield _result(part, record if len(results) == 1 else {**record, "toolCallResult": None}, locator)
    text = "".join(part["text"] for part in parts if as_str(part.get("text")))
    if not text:
        return
    if record["type"] == "user" and facts.prompt in (None, text):
        facts.prompt = text
    else:
        yield Orphan("user_message", {"text": text, "locator": locator})


def _result(part: dict[str, Any], record: dict[str, Any], locator: str) -> Result:
    response = part["functionResponse"]
    told = as_dict(record.get("toolCallResult"))
    shell = as_str(response.get("name")) in _SHELLS
    answer = answer_of([part], _STATUS.get(as_str(told.get("status")) or ""), shell=shell)
    reason = as_str(told.get("errorType"))
    if reason in _INVALID | _DENIED:
        status = Status.REJECTED if reason in _INVALID else Status.NOT_EXECUTED
        answer.outcome = answer.outcome.model_copy(update={"status": status})
    if answer.outcome.status in (Status.NOT_EXECUTED, Status.INTERRUPTED):
        answer.observation, answer.shown = None, answer.shown or answer.observation
    return Result(
        as_str(response.get("id")),
        answer.observation,
        outcome=answer.outcome,
        shown=answer.shown,
        at=micros(record.get("timestamp")),
        duration_ms=as_float(told.get("durationMs")),
        lossiness=answer.lossiness,
        state_after={"cwd": record["cwd"]} if as_str(record.get("cwd")) else None,
        locator=locator,
        extra={"error_type": reason} if reason else {},
        apart=answer.apart,
    )
