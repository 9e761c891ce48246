"""The first event of a tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worldtape.errors import FormatError
from worldtape.schemas import EventKind, upgrader
from worldtape.storage.tapes._scan import Readable, Scan

Lift = Callable[[dict[str, Any]], dict[str, Any]]
"""Brings an event to the current schema."""


def read_header(stream: Readable, where: object) -> tuple[Lift, dict[str, Any]]:
    """Return how the events of a tape are lifted to the current schema, and its header, lifted.

    Args:
        stream: the plain bytes of the tape, from their start; only the first event is read.
        where: for messages.

    Raises:
        FormatError: it has no header.
        VersionError: a newer major version wrote it.
    """
    first = next(iter(Scan(stream, where)), None)
    if first is None or first["kind"] != EventKind.HEADER:
        fix = "worldtape recover sets it aside"
        raise FormatError("the tape has no header: its recorder was stopped before it began", where=where, fix=fix)
    lift = upgrader(str(first["data"].get("schema_version")), where=where)
    return lift, lift(first)["data"]
