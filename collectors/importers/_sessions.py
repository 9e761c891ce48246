"""What the sessions of coding agents have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from worldtape.collectors.importers._head import partial
from worldtape.collectors.importers._json import BOM, parse
from worldtape.collectors.importers._pairs import Plan
from worldtape.errors import FormatError, InputError
from worldtape.schemas import (
    Domain,
    End,
    EndStatus,
    EnvironmentSpec,
    Imported,
    ImportedStep,
    Lossiness,
    Orphan,
    PolicySpec,
    SourceFile,
    Task,
    derived_id,
)

_LINES = 100
_PLAIN = re.compile(r"[\w-]+")


def head_values(head: bytes) -> Iterator[dict[str, Any]]:
    """Give the objects of the first lines; of a line that is cut, what is there of it. Sniffing only."""
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


def refuse_silence(calls: int, source: SourceFile) -> None:
    """Refuse a session in which nothing was done.

    Raises:
        InputError: there is no call.
    """
    if not calls:
        raise InputError("no tool was called: nothing that an environment answered", where=source.name)


def session(
    source: SourceFile,
    locator: str,
    plan: Plan,
    steps: Iterable[ImportedStep | Orphan],
    *,
    session_id: str | None,
    instruction: str | None,
) -> Imported:
    """Return a session of a coding agent; who acted, where and when are the importer's to fill in."""
    tail = plan.tail_missing
    end = End(status=EndStatus.INTERRUPTED, reason="the source ends before the last result") if tail else End(
        status=EndStatus.COMPLETED
    )  # fmt: skip
    return Imported(
        locator,
        Domain.SWE,
        EnvironmentSpec(kind="coding-agent"),
        PolicySpec(kind="imported"),
        steps,
        task=Task(id=session_id or source.digest[:16], instruction=instruction or ""),
        lossiness=(Lossiness.NO_INITIAL_STATE, Lossiness.NO_TOOL_SCHEMAS, Lossiness.NO_ENV_IMAGE, Lossiness.NO_PROBES),
        end=end,
        extra={"session_id": session_id} if session_id else {},
    )
