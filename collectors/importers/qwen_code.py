"""Sessions of Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from worldtape.collectors.importers._gemini_result import answer_of
from worldtape.collectors.importers._pairs import Call, Event, Result, Thoughts
from worldtape.collectors.importers._sessions import LOSSES, Facts, head_values
from worldtape.collectors.importers._threads import planted, trajectories
from worldtape.collectors.importers._tree import Node
from worldtape.collectors.importers._values import as_dict, as_float, as_list, as_str, micros
from worldtape.schemas import Domain, Imported, Lossiness, Orphan, Rejected, SourceFile, Status, canonical_json

_TALK = {"user", "assistant", "tool_result"}
_SHELLS = {"run_shell_command"}
_MODELS = {"task", "agent"}
_STATUS = {"success": Status.OK, "error": Status.TOOL_ERROR, "cancelled": Status.INTERRUPTED}
_INVALID = {"invalid_tool_params", "tool_not_registered"}
_DENIED = {"execution_denied"}


class QwenCode:
    """Follows the conversation to its last word, as for Claude Code; parts are those of Gemini."""

    name: ClassVar[str] = "qwen-code"
    title: ClassVar[str] = "Qwen Code sessions"
    versions: ClassVar[str] = "0.18 (the records carry no version of their own)"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (*LOSSES, Lossiness.OBS_TEMPLATED, Lossiness.SYNTHETIC_OBS)

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
        tree, notes = planted(source, _TALK | {"system"}, _node)
        yield from trajectories(self.name, source, tree, notes, Facts, _events)


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


def _events(record: dict[str, Any], locator: str, facts: Facts) -> Iterator[Event]:
    facts.take(record)
    kind = record["type"]
    if kind == "system":
        yield from _system(record, locator, facts)
    elif kind == "assistant":
        facts.model = facts.model or as_str(record.get("model"))
        yield from _said(record, locator)
    else:
        yield from _heard(record, locator, facts)


def _system(record: dict[str, Any], locator: str, facts: Facts) -> Iterator[Event]:
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
                extra={"uuid": turn}, delegated=name in _MODELS,
            )  # fmt: skip
            thoughts = []
        elif as_str(part.get("text")):
            thoughts.append({"thinking" if part.get("thought") is True else "text": part["text"]})
    if thoughts:
        yield Thoughts(tuple(thoughts))


def _heard(record: dict[str, Any], locator: str, facts: Facts) -> Iterator[Event]:
    parts = _parts(record)
    results = [part for part in parts if "functionResponse" in part]
    for part in results:
        yield _result(part, record if len(results) == 1 else {**record, "toolCallResult": None}, locator)
    text = "".join(part["text"] for part in parts if as_str(part.get("text")))
    if record["type"] == "user":
        yield from facts.heard(text, locator)
    elif text:
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
