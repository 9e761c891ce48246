"""Replacing parts by another part, in one step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from worldtape.errors import FormatError
from worldtape.storage.lake import _layout as layout

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake


def _journals(lake: Lake) -> dict[str, dict[str, list[str]]]:
    names = [name for name in lake.store.names(layout.MOVES) if name.endswith(".json")]
    return {name: json.loads(lake.store.read(name)) for name in names}


def replaced(lake: Lake) -> set[str]:
    """Return the ids of parts that count as gone: what replaces them is whole."""
    journals = _journals(lake)
    if not journals:
        return set()
    whole = {part.part_id for part in lake.files("trajectories")}
    return {old for move in journals.values() for old in _gone(move, whole) if old in move["parts"]}


def _gone(move: dict[str, list[str]], whole: set[str]) -> set[str]:
    """Return what a move has made superfluous: what was replaced, or what never became whole."""
    into, parts = set(move["into"]), set(move["parts"])
    if into & parts:  # nobody can tell the new part from the old one: both stay, and recovery cuts what stands twice
        return set()
    return parts if into <= whole else into


@contextmanager
def moving(lake: Lake, into: Iterable[str], parts: Iterable[str]) -> Iterator[None]:
    """Replace `parts` by `into`, which the block writes; on a local disk nobody else finishes it meanwhile.

    The journal is written first. From the moment that `into` is whole, readers see it and not `parts`.

    Raises:
        FormatError: a part would replace itself, which a crash could not be told from being done.
    """
    into, parts = sorted(into), sorted(parts)
    if both := set(into) & set(parts):
        raise FormatError(f"part {min(both)} would replace itself", where=lake, fix="run `worldtape recover`")
    journal = f"{layout.MOVES}/{layout.part_id([*into, *parts])}.json"
    lake.store.write(journal, json.dumps({"into": into, "parts": parts}).encode())
    with lake.store.holding(journal):
        yield
        finish(lake, journal)


def finish(lake: Lake, journal: str) -> None:
    """Remove the replaced parts, or what replaces them where it never became whole; then the journal."""
    move = json.loads(lake.store.read(journal))
    whole = {part.part_id for part in lake.files("trajectories")}
    drop(lake, _gone(move, whole))
    lake.store.remove(journal)


def finish_all(lake: Lake) -> int:
    """Finish or undo every replacement whose process is gone; return how many there were."""
    journals = [name for name in sorted(_journals(lake)) if not lake.store.local or lake.store.abandoned(name)]
    for journal in journals:
        finish(lake, journal)
    return len(journals)


def drop(lake: Lake, part_ids: Iterable[str]) -> None:
    """Remove parts with their notes: trajectories first, so that no reader meets half of one."""
    gone = set(part_ids)
    for found in (lake.files("trajectories"), lake.files("transitions"), lake.note_files()):
        for part in found:
            if part.part_id in gone:
                lake.store.remove(part.name)
