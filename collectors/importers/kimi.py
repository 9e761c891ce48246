"""Sessions of Kimi CLI and Kimi Code: `wire.jsonl`, and `context.jsonl`, below their folder `sessions`."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import count
from typing import ClassVar

from worldtape.collectors.importers._json import lines
from worldtape.collectors.importers._kimi_wire import COMPACTED, KINDS, KimiFacts, Nodes, message_events, wire_events
from worldtape.collectors.importers._pairs import Event
from worldtape.collectors.importers._sessions import LOSSES, Session, head_values, refuse_silence
from worldtape.collectors.importers._threads import planted, trajectories
from worldtape.collectors.importers._tree import indexed
from worldtape.collectors.importers._values import as_dict, as_str
from worldtape.errors import InputError
from worldtape.schemas import Domain, Imported, Lineage, Lossiness, Orphan, Rejected, SourceFile, derived_id

_ROLES = {"user", "assistant", "tool", "system"}
_OURS = {"_system_prompt", "_checkpoint", "_usage"}
_EVENTS = {"TurnBegin", "StepBegin", "ContentPart", "ToolCall", "ToolResult", "StatusUpdate", "SubagentEvent"}
_CONTEXT = re.compile(r"(?:.*/)?context(?:_(\d{1,6}))?\.jsonl")
"""Those with a number were put aside when the conversation went back or was summed up: 1 is the oldest."""
_MARK = re.compile(rb'\s*\{"role": ?"_')
"""Begins a record that is no message."""
_SESSION = re.compile(r"(?:session_)?[0-9a-f]{8}-[0-9a-f-]{27}")


class Kimi:
    """Takes what happened from the wire, and from the context where there is no wire."""

    name: ClassVar[str] = "kimi"
    title: ClassVar[str] = "Kimi CLI and Kimi Code sessions"
    versions: ClassVar[str] = "context.jsonl, wire protocols 1.x"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.SWE,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (*LOSSES, Lossiness.SYNTHETIC_OBS)

    def sniff(self, source: SourceFile) -> bool:
        """See `Importer`."""
        return _is_wire(source) or _is_context(source)

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """See `Importer`."""
        _refuse_told(source)
        yield from _wire(source) if _is_wire(source) else _context(source)


def _is_wire(source: SourceFile) -> bool:
    first = next(head_values(source.head), {})
    message = as_dict(first.get("message"))
    if as_str(message.get("type")) in _EVENTS:
        return isinstance(message.get("payload"), dict) and "timestamp" in first
    if first.get("type") == "metadata":
        return "protocol_version" in first
    return first.get("type") == "context.append_loop_event" and isinstance(first.get("event"), dict)


def _is_context(source: SourceFile) -> bool:
    for value in head_values(source.head):
        role = as_str(value.get("role"))
        if role not in _ROLES:
            return role in _OURS
    return False


def _refuse_told(source: SourceFile) -> None:
    """Refuse a file whose session another file beside it tells better.

    Raises:
        InputError: it is told by a `wire.jsonl`, of its own session or of the one that asked for it.
    """
    above = source.sibling("../../wire.jsonl")
    if above is not None and _is_wire(above) and _holds(above, b'"SubagentEvent"'):
        raise InputError("a sub-agent's: the wire.jsonl of its session brings it in", where=source.name)
    beside = None if _is_wire(source) else source.sibling("wire.jsonl")
    if beside is not None and _is_wire(beside) and _holds(beside, b'"ToolCall"'):
        raise InputError("the wire.jsonl beside it tells the same, with times: that is read", where=source.name)


def _holds(source: SourceFile, mark: bytes) -> bool:
    return any(mark in line for _, line in lines(source))


def _session_id(source: SourceFile) -> str | None:
    """Return the name of the folder that is the session, where it looks like one; the records do not tell it."""
    return next((part for part in reversed(source.name.split("/")[:-1]) if _SESSION.fullmatch(part)), None)


def _wire(source: SourceFile) -> Iterator[Imported | Rejected]:
    nodes = Nodes(source)
    tree, notes = planted(source, KINDS, nodes.node)
    session = _session_id(source)
    main = source.sibling("../main/wire.jsonl")
    for made in trajectories(
        Kimi.name, source, tree, notes, lambda: KimiFacts(session=session, late=nodes.late), wire_events
    ):
        if isinstance(made, Imported) and not made.locator and main is not None and main.digest != source.digest:
            made.lineage = Lineage(parent=derived_id(Kimi.name, main.digest, ""), kind="subagent")
        yield made


def _context(source: SourceFile) -> Iterator[Imported]:
    """Read what the model was given; a rotated file is a branch of the one that followed it."""
    follower = _follower(source)
    start = 0 if follower is None else _common(source, follower)
    copies = _kept(source)
    facts = KimiFacts(session=_session_id(source))

    def events() -> Iterator[Event]:
        if start or copies:
            yield Orphan("copied_context", {"bytes": start, "messages": len(copies)})
        for item in indexed(source):
            if isinstance(item, Orphan):
                yield item
                continue
            offset, size, record = item
            found = message_events(record, None, f"bytes:{offset}-{offset + size}", facts)
            if offset >= start and offset not in copies:
                yield from found
            elif record.get("role") == "user":
                deque(found, maxlen=0)  # for the task

    found = Session(source, events, facts)
    refuse_silence(found.plan.calls, source)
    made = found.imported(Kimi.name)
    if follower is not None:
        made.lineage = Lineage(parent=derived_id(Kimi.name, follower.digest, ""), kind="branch")
    yield made


def _follower(source: SourceFile) -> SourceFile | None:
    """Return the context that was written after this one was put aside."""
    named = _CONTEXT.fullmatch(source.name)
    if named is None or named[1] is None:
        return None
    return source.sibling(f"context_{int(named[1]) + 1}.jsonl") or source.sibling("context.jsonl")


def _common(source: SourceFile, other: SourceFile) -> int:
    """Return how many bytes both files begin with, in whole lines: what was taken back begins behind them."""
    end = 0
    for (offset, line), (_, same) in zip(lines(source), lines(other), strict=False):
        if line != same:
            break
        end = offset + len(line)
    return end


def _kept(source: SourceFile) -> frozenset[int]:
    """Return where messages stand that a compaction took over from the end of the context before."""
    named = _CONTEXT.fullmatch(source.name)
    if named is None:
        return frozenset()
    number = int(named[1]) - 1 if named[1] else _newest(source)
    before = source.sibling(f"context_{number}.jsonl") if number else None
    if before is None:
        return frozenset()
    old = [hash(line) for _, line in lines(before) if not _MARK.match(line)]
    found: list[int] = []
    at: int | None = None
    for offset, line in lines(source):
        if COMPACTED.encode() in line:
            at = -1
        elif at is not None and not _MARK.match(line):
            key = hash(line)
            at = at if at >= 0 else next((n for n in reversed(range(len(old))) if old[n] == key), len(old))
            if at >= len(old) or old[at] != key:
                break
            found.append(offset)
            at += 1
    return frozenset(found)


def _newest(source: SourceFile) -> int:
    return next(number for number in count() if source.sibling(f"context_{number + 1}.jsonl") is None)
