"""What the sessions of coding agents have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any

from worldtape.collectors.importers._head import partial
from worldtape.collectors.importers._json import BOM, parse
from worldtape.collectors.importers._losses import LOGGED, clock
from worldtape.collectors.importers._pairs import Event, Plan, paired
from worldtape.collectors.importers._values import as_str, micros
from worldtape.errors import FormatError, InputError
from worldtape.schemas import (
    Domain,
    End,
    EndStatus,
    EnvironmentSpec,
    Imported,
    Lossiness,
    Orphan,
    PolicySpec,
    SourceFile,
    Task,
    derived_id,
)

LOSSES = (*LOGGED, Lossiness.TRUNCATED_NO_FULL, Lossiness.WALL_CLOCK_ONLY)
"""What a session of a coding agent may lack."""
SILENCE = "no tool was called: nothing that an environment answered"
_LINES = 100
_PLAIN = re.compile(r"[\w-]+")


def head_values(head: bytes) -> Iterator[dict[str, Any]]:
    """Give the objects of the first lines; of a line that is cut, what is there of it. Sniffing only; never changed."""
    return iter(_head_values(head))


@lru_cache(maxsize=4)  # every importer looks at the same source
def _head_values(head: bytes) -> tuple[dict[str, Any], ...]:
    return tuple(_line_values(head))


def _line_values(head: bytes) -> Iterator[dict[str, Any]]:
    found = head.removeprefix(BOM).split(b"\n")
    for number, line in enumerate(found[:_LINES]):
        bare = line.strip()
        if not bare:
            continue
        try:
            value = parse(bare)
        except FormatError:
            value = partial(bare) if number == len(found) - 1 and bare[:1] == b"{" else None
        if isinstance(value, dict):
            yield value


def parent_of(format_name: str, source: SourceFile, locator: str | None, session_id: str | None) -> str | None:
    """Return the id that a parent's trajectory has, where its file is known, else its session's id.

    Args:
        format_name: the importer's name.
        source: the child's file.
        locator: the parent in the same file; null: it is a session of another file.
        session_id: the parent's session, in the child's words: taken only as a plain name.
    """
    if locator is not None:
        return derived_id(format_name, source.digest, locator)
    if session_id is None or not _PLAIN.fullmatch(session_id):
        return session_id
    for folder in ("", "../", "../../"):
        file = source.sibling(f"{folder}{session_id}.jsonl")
        if file is not None:
            return derived_id(format_name, file.digest, "")
    return session_id


Events = Callable[[], Iterable[Event]]
"""Gives what happened, in the order of the file, as often as it is asked."""


@dataclass(slots=True)
class Facts:
    """What a first reading finds of who acted, where and when."""

    session: str | None = None
    prompt: str | None = None
    model: str | None = None
    version: str | None = None
    """Of the agent's program."""
    started_at: int | None = None
    """The first time told, µs."""
    cwd: str | None = None
    branch: str | None = None
    asked_by: str | None = None
    """Of a sub-agent: the id of the call that asked it."""
    other: Counter[str] = field(default_factory=Counter)
    """Records that tell of no call and no result, by kind."""

    def take(self, record: dict[str, Any]) -> None:
        """Take what the records of Claude Code and its relatives repeat in each."""
        self.session = self.session or as_str(record.get("sessionId"))
        self.version = self.version or as_str(record.get("version"))
        self.cwd = self.cwd or as_str(record.get("cwd"))
        self.branch = self.branch or as_str(record.get("gitBranch"))
        self.started_at = self.started_at or micros(record.get("timestamp"))

    def heard(self, text: str | None, locator: str) -> Iterator[Orphan]:
        """Take the user's words: the first are the task, others belong to no transition."""
        if self.prompt in (None, text):
            self.prompt = text
        elif text:
            yield Orphan("user_message", {"text": text, "locator": locator})


class Session:
    """A session of a coding agent, or one thread of it, after its first reading."""

    def __init__(self, source: SourceFile, events: Events, facts: Facts, locator: str = "") -> None:
        self.facts = facts
        self.plan = Plan(events())
        self._source, self._events, self._locator = source, events, locator

    def imported(self, agent: str, notes: Iterable[Orphan] = ()) -> Imported:
        """Return the trajectory; what is special to a format is the importer's to add.

        Args:
            agent: kind of the environment, and the program that `Facts.version` is of.
            notes: what belongs to no transition, before what the second reading finds.
        """
        facts, plan = self.facts, self.plan
        places = {"cwd": facts.cwd, "git_branch": facts.branch}
        losses = (Lossiness.NO_INITIAL_STATE, Lossiness.NO_TOOL_SCHEMAS, Lossiness.NO_ENV_IMAGE, Lossiness.NO_PROBES)
        told = {"session_id": facts.session, "format_version": facts.version, "records": dict(facts.other)}
        end = End(status=EndStatus.COMPLETED)
        if plan.tail_missing:
            end = End(status=EndStatus.INTERRUPTED, reason="the source ends before the last result")
        return Imported(
            self._locator,
            Domain.SWE,
            EnvironmentSpec(
                kind=agent,
                versions={agent: facts.version} if facts.version else {},
                parameters={key: value for key, value in places.items() if value},
            ),
            PolicySpec(kind="imported", model=facts.model),
            chain(notes, paired(self._events(), plan)),
            task=Task(id=facts.session or self._source.digest[:16], instruction=facts.prompt or ""),
            lossiness=(*losses, clock(facts.started_at)),
            started_at=facts.started_at,
            end=end,
            extra={key: value for key, value in told.items() if value},
        )


def refuse_silence(calls: int, source: SourceFile) -> None:
    """Refuse a session in which nothing was done.

    Raises:
        InputError: there is no call.
    """
    if not calls:
        raise InputError(SILENCE, where=source.name)
