"""Sessions as pi writes them, and programs built on it: one JSON line for each entry, a tree by `id` and `parentId`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

from worldtape.collectors.importers._copies import Copies
from worldtape.collectors.importers._pairs import Call, Event, Stop, Thoughts
from worldtape.collectors.importers._pi_result import MISSING, result_of
from worldtape.collectors.importers._sessions import LOSSES, Facts, head_values
from worldtape.collectors.importers._threads import planted, trajectories
from worldtape.collectors.importers._tree import Node
from worldtape.collectors.importers._values import as_dict, as_list, as_str, kept, micros, text_of, thoughts_of
from worldtape.errors import VersionError
from worldtape.schemas import (
    Domain,
    Imported,
    Lossiness,
    Orphan,
    Outcome,
    Rejected,
    SourceFile,
    Status,
    canonical_json,
)

_NEWEST = 3
_SPOKEN = {"message", "custom_message", "compaction", "branch_summary", "leaf"}
"""Entries that move the place where the session goes on."""
ENTRIES = _SPOKEN | {
    "session", "model_change", "thinking_level_change", "label", "session_info", "custom", "usage", "context_edit",
    "context_transform", "ephemeral",
}  # fmt: skip
_CALLS = {"toolCall", "toolUse", "functionCall", "tool_call", "tool_use", "function_call"}
_CALL_IDS = ("id", "tool_call_id", "call_id")
_RESULT_IDS = ("toolCallId", "toolUseId", "tool_call_id", "tool_use_id", "call_id", "callId")
_MIRRORS = {"delivery-mirror", "gateway-injected"}
_STOPPED = {"aborted", "error"}
_ASIDE = {
    "branchSummary": "branch_summary",
    "compactionSummary": "compaction",
    "custom": "custom_message",
    "hookMessage": "custom_message",
}
"""Roles of messages that say the same as entries of a type of their own."""
_CODES = {"compaction": "compacted", "branch_summary": "branch_left", "custom_message": "harness_message"}


def header_of(head: bytes) -> dict[str, Any]:
    """Return the header of a session, which is its first line; empty where the file begins with something else."""
    first = next(head_values(head), {})
    known = first.get("type") == "session" and isinstance(first.get("id"), str)
    return first if known and first.keys() & {"cwd", "timestamp"} else {}


class PiSessions:
    """Follows the session from its last entry up to the root; branches that were left stand on their own."""

    name: ClassVar[str]
    shells: ClassVar[frozenset[str]]
    """Tools that run commands."""
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = LOSSES

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """See `Importer`."""
        header = header_of(source.head)
        version = _version(header, source)
        above = _above(header)
        copies = Copies(source, above)
        tree, notes = planted(source, ENTRIES, partial(_node, copies))
        tree.copies += copies.messages
        start = micros(header.get("timestamp"))

        def facts() -> Facts:
            return Facts(session=as_str(header.get("id")), cwd=as_str(header.get("cwd")), started_at=start)

        for made in trajectories(self.name, source, tree, notes, facts, self._events, resumed=above):
            if isinstance(made, Imported):
                made.extra["format_version"] = version
                copies.place(made)
            yield made

    def _events(self, entry: dict[str, Any], locator: str, facts: Facts) -> Iterator[Event]:
        kind = entry["type"]
        message = as_dict(entry.get("message"))
        at = micros(entry.get("timestamp")) or micros(message.get("timestamp"))
        facts.started_at = facts.started_at or at
        if kind == "message":
            yield from self._message(entry, message, locator, at, facts)
        elif kind in ("compaction", "branch_summary", "custom_message"):
            yield _aside(kind, entry, locator)
        elif kind not in ("session", "leaf"):
            facts.other[":".join(filter(None, (kind, as_str(entry.get("customType")))))] += 1

    def _message(
        self, entry: dict[str, Any], message: dict[str, Any], locator: str, at: int | None, facts: Facts
    ) -> Iterator[Event]:
        role = as_str(message.get("role"))
        text = text_of(message.get("content"))
        if role == "user":
            yield from facts.heard(text, locator)
        elif role == "assistant" and not _mirrored(message):
            yield from self._said(entry, message, locator, at, facts)
        elif role == "toolResult" and not (text or "").startswith(MISSING):
            tool = as_str(message.get("toolName"))
            yield result_of(message, _id(message, _RESULT_IDS), at, locator, shell=tool in self.shells)
        elif role in ("assistant", "toolResult"):
            yield Orphan("harness_message", {"text": text, "locator": locator})
        elif role == "bashExecution":
            yield Orphan("user_command", {**kept(message, "role", "timestamp"), "locator": locator})
        elif role in _ASIDE:
            yield _aside(_ASIDE[role], {**message, "content": text}, locator)
        else:
            yield Orphan("unknown_record", {"type": str(role)[:80], "locator": locator})

    def _said(
        self, entry: dict[str, Any], message: dict[str, Any], locator: str, at: int | None, facts: Facts
    ) -> Iterator[Event]:
        """Give the calls of a message; those of one that was broken off were never run."""
        reason = as_str(message.get("stopReason"))
        model = as_str(message.get("model"))
        stopped = {"stop_reason": reason, "error": as_str(message.get("errorMessage"))} if reason in _STOPPED else {}
        if reason == "aborted":
            yield Stop(as_str(message.get("errorMessage")))
        content = message.get("content")
        for item in as_list(content) or ([{"text": content}] if isinstance(content, str) else []):
            part = as_dict(item)
            if as_str(part.get("type")) not in _CALLS:
                yield Thoughts(thoughts_of(**{key: part.get(key) for key in ("thinking", "text")}))
                continue
            name, call = as_str(part.get("name")), _id(part, _CALL_IDS)
            if name is None:
                yield Orphan("orphan_call", {"id": call, "locator": locator})
                continue
            facts.model = facts.model or model
            own = {"entry": as_str(entry.get("id")), "model": None if model == facts.model else model, **stopped}
            yield Call(
                call, as_str(entry.get("id")) or locator, name, part.get("arguments", part.get("input")), locator,
                at=at, shell=name in self.shells, seconds=True,
                ended=Outcome(status=Status.NOT_EXECUTED) if stopped else None,
                extra={key: value for key, value in own.items() if value},
            )  # fmt: skip


def _aside(kind: str, entry: dict[str, Any], locator: str) -> Orphan:
    """Return what stands in the session but is nobody's action, and no answer."""
    if kind == "custom_message":
        told = {"type": as_str(entry.get("customType")), "text": text_of(entry.get("content"))}
    else:
        told = {"summary": as_str(entry.get("summary")), "from": as_str(entry.get("fromId"))}
    return Orphan(_CODES[kind], {**kept(told), "locator": locator})


def _mirrored(message: dict[str, Any]) -> bool:
    """Tell whether the harness wrote an assistant's message: what it sent to a channel, once more."""
    return message.get("provider") == "openclaw" and as_str(message.get("model")) in _MIRRORS


def _id(fields: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((text.strip() for name in names if (text := as_str(fields.get(name)))), None)


def _version(header: dict[str, Any], source: SourceFile) -> int:
    """Return the version of the format.

    Raises:
        VersionError: it is none of 1 to 3.
    """
    version = header.get("version", 1)
    if isinstance(version, bool) or version not in range(1, _NEWEST + 1):
        raise VersionError(
            f"session version {str(version)[:40]} is unknown; 1 to {_NEWEST} are read", where=source.name
        )
    return int(version)


def _above(header: dict[str, Any]) -> str | None:
    """Return the name of the session that this one was forked from, without its folder."""
    path = as_str(header.get("parentSession")) or as_str(header.get("branchedFrom"))
    return path.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl") or None if path else None


def _node(copies: Copies, entry: dict[str, Any], offset: int, size: int) -> Node | None:
    """Return the node of an entry; null for a copy, and where it leads nowhere."""
    kind = entry["type"]
    calls = _calls(entry)
    if kind != "session" and copies.take(entry, len(calls)):
        return None
    parent = as_str(entry.get("targetId" if kind == "leaf" else "parentId"))
    if kind == "leaf" and parent is None:
        return None
    return Node(
        as_str(entry.get("id")),
        copies.parent(parent),
        offset,
        size,
        calls=calls,
        results=_results(entry),
        talk=kind in _SPOKEN,
        prompt="parentId" in entry and entry["parentId"] is None and kind != "session",
        digest=hash(canonical_json([kind, entry.get("message")])),
    )


def _calls(entry: dict[str, Any]) -> tuple[str | None, ...]:
    message = as_dict(entry.get("message"))
    parts = [as_dict(part) for part in as_list(message.get("content"))] if message.get("role") == "assistant" else []
    return tuple(_id(part, _CALL_IDS) for part in parts if as_str(part.get("type")) in _CALLS)


def _results(entry: dict[str, Any]) -> tuple[str | None, ...]:
    message = as_dict(entry.get("message"))
    return (_id(message, _RESULT_IDS),) if message.get("role") == "toolResult" else ()
