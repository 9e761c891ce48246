"""What `droid exec --output-format stream-json` prints: one line for each thing that happened, in one thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.importers._droid_result import MODELS, SHELLS, result_of
from worldtape.collectors.importers._pairs import Call, Event, Thoughts
from worldtape.collectors.importers._sessions import Facts, Session, head_values, refuse_silence
from worldtape.collectors.importers._tree import indexed
from worldtape.collectors.importers._values import as_str, micros, text_of, thoughts_of
from worldtape.schemas import Imported, Orphan, SourceFile, canonical_json

_ASIDE = {"system", "completion", "error"}


@dataclass(slots=True)
class _Facts(Facts):
    reasoning: str | None = None
    """Id of the last reasoning: it is printed twice."""


def is_stream(head: bytes) -> bool:
    """Tell whether a file begins as Droid's stream does; that of Claude Code wraps its messages."""
    values = head_values(head)
    first, second = next(values, {}), next(values, {})
    if (first.get("type"), first.get("subtype")) != ("system", "init") or _session(first) is None:
        return False
    kind = second.get("type")
    texts = kind in ("message", "reasoning") and isinstance(second.get("text"), str)
    return texts or (kind == "tool_call" and isinstance(second.get("toolName"), str))


def streamed(name: str, source: SourceFile) -> Imported:
    """Return the trajectory of a stream.

    Raises:
        InputError: no tool was called.
    """
    facts = _Facts()

    def events() -> Iterator[Event]:
        facts.reasoning = None
        for item in indexed(source):
            if isinstance(item, Orphan):
                yield item
            else:
                offset, size, record = item
                yield from _events(record, f"bytes:{offset}-{offset + size}", facts)

    found = Session(source, events, facts)
    refuse_silence(found.plan.calls, source)
    return found.imported(name)


def _session(record: dict[str, Any]) -> str | None:
    return as_str(record.get("session_id")) or as_str(record.get("sessionId"))


def _events(record: dict[str, Any], locator: str, facts: _Facts) -> Iterator[Event]:
    kind, at = as_str(record.get("type")), micros(record.get("timestamp"))
    facts.session = facts.session or _session(record)
    facts.cwd = facts.cwd or as_str(record.get("cwd"))
    facts.started_at = facts.started_at or at
    if kind == "tool_call":
        yield _call(record, at, locator)
    elif kind == "tool_result":
        value = record.get("value")
        shown = value if value is None or isinstance(value, str) else canonical_json(value)
        error, shell = record.get("isError") is True, as_str(record.get("toolId")) in SHELLS
        yield result_of(_called(record), shown, at, locator, error=error, shell=shell)
    elif kind == "message" and record.get("role") == "user":
        yield from facts.heard(text_of(record.get("text")), locator)
    elif kind in ("message", "reasoning"):
        again = kind == "reasoning" and facts.reasoning is not None and facts.reasoning == record.get("id")
        facts.reasoning = as_str(record.get("id")) if kind == "reasoning" else None
        key = "thinking" if kind == "reasoning" else "text"
        yield Thoughts(() if again else thoughts_of(**{key: record.get("text")}))
    elif kind in _ASIDE:
        facts.model = facts.model or as_str(record.get("model"))
        facts.other[kind] += 1
    else:
        yield Orphan("unknown_record", {"type": str(kind)[:80], "locator": locator})


def _call(record: dict[str, Any], at: int | None, locator: str) -> Call | Orphan:
    name = as_str(record.get("toolName")) or as_str(record.get("toolId"))
    if name is None:
        return Orphan("orphan_call", {"id": _called(record), "locator": locator})
    return Call(
        _called(record),
        as_str(record.get("messageId")),
        name,
        record.get("parameters"),
        locator,
        at=at,
        shell=name in SHELLS,
        seconds=True,
        delegated=name in MODELS,
    )


def _called(record: dict[str, Any]) -> str | None:
    return as_str(record.get("toolCallId")) or as_str(record.get("id"))
