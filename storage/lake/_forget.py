"""Taking a trajectory down, everywhere in a lake."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from worldtape.errors import LockedError, NotFoundError, WorldtapeError
from worldtape.storage._disk import is_held
from worldtape.storage.blobs import blob_files
from worldtape.storage.lake import _layout as layout
from worldtape.storage.lake import _moves as moves
from worldtape.storage.lake._alone import alone
from worldtape.storage.lake._forgotten import remember
from worldtape.storage.lake._mention import mention, tape_files, tape_names
from worldtape.storage.lake._packed import drop_packed, pack_name
from worldtape.storage.lake._part import Part
from worldtape.storage.lake._read import read_arrow
from worldtape.storage.lake._refs import blob_names
from worldtape.storage.lake._rewrite import copy_part, notes_by_part, spoken_of

if TYPE_CHECKING:
    import pyarrow as pa

    from worldtape.storage.lake._lake import Lake

OUT_OF_REACH = "corpora built from this lake, published datasets and copies elsewhere: build or publish them again"
_SMALL = 64 << 20


@dataclass
class Forgotten:
    """What was removed, and what could not be."""

    trajectory_id: str
    tapes: list[str] = field(default_factory=list)
    blobs: int = 0
    rows: int = 0
    """Transitions that left the tables."""
    notes: list[str] = field(default_factory=list)
    """Notes removed because they named it: run `curate` again."""
    set_aside: list[str] = field(default_factory=list)
    """Files set aside by a recovery, removed because they named it or because nobody can read whether they do."""
    descendants: list[str] = field(default_factory=list)
    """Trajectories that branch from it and name it as their parent: forget them too where they show what it showed."""
    mentioned_in: list[str] = field(default_factory=list)
    """Other files in the lake's folder that name it; they are not ours to change."""
    out_of_reach: str = OUT_OF_REACH


def forget(lake: Lake, trajectory_id: str, *, reason: str | None = None) -> Forgotten:
    """Remove a trajectory from tapes, blobs, tables and notes, and keep its hash so that it cannot come back.

    Blobs that other tapes name stay. Its part is written anew under the id of what is left. A crash in between is
    finished by running the same again.

    Args:
        lake: the lake; nobody may be writing this tape.
        trajectory_id: the whole id.
        reason: kept beside the hash.

    Raises:
        NotFoundError: the lake does not know it.
        LockedError: it is being recorded, or somebody else is changing the lake.
        FormatError: a part is damaged and might hold it; `recover` first.
    """
    with alone(lake):
        return take_down(lake, trajectory_id, reason)


def take_down(lake: Lake, trajectory_id: str, reason: str | None) -> Forgotten:
    """Do what `forget` does; the caller keeps everybody else out."""
    moves.finish_all(lake)
    tapes = tape_files(lake, trajectory_id)
    whole = {_key(part) for part in lake.files("trajectories")}
    parts = [part for part in lake.files("transitions") if _holds(lake, part, trajectory_id, _key(part) in whole)]
    if not tapes and not parts and not lake.is_forgotten(trajectory_id):
        raise NotFoundError(
            "no such trajectory", where=f"{lake}: {trajectory_id}", fix="give the whole id, as `query` shows it"
        )
    _check_idle(lake, tapes)
    remember(lake, trajectory_id, reason=reason, wall_us=time.time_ns() // 1000)
    report = Forgotten(trajectory_id)
    notes = notes_by_part(lake)
    for part in parts:
        report.rows += _rewrite(lake, part, trajectory_id, notes[part.part_id] if _key(part) in whole else None)
    _forget_notes(lake, trajectory_id, report)
    _forget_tapes(lake, tapes, report)
    report.set_aside = [name for name in lake.store.names(layout.SET_ASIDE) if _may_name(lake, name, trajectory_id)]
    report.set_aside += [name for name in lake.store.names(layout.TAPES) if layout.DAMAGED_PACK.fullmatch(name)]
    cached = [name for name in lake.store.names(layout.CACHE) if name != layout.LOCK]
    for name in [*report.set_aside, *cached]:
        lake.store.remove(name)
    report.descendants = _descendants(lake, trajectory_id)
    report.mentioned_in = _mentions(lake, trajectory_id)
    return report


def _key(part: Part) -> tuple[str | None, str]:
    return part.domain, part.part_id


def _holds(lake: Lake, part: Part, trajectory_id: str, whole: bool) -> bool:
    if whole:
        return trajectory_id in lake.members(part)
    return trajectory_id in read_arrow(lake, part, ["trajectory_id"])["trajectory_id"].to_pylist()


def _check_idle(lake: Lake, tapes: list[str]) -> None:
    for name in tapes:
        if lake.store.local and name.endswith(".jsonl") and is_held(Path(lake.store.full(name))):
            raise LockedError("it is being recorded", where=lake.store.path(name), fix="end the recording first")


def _rewrite(lake: Lake, part: Part, trajectory_id: str, notes: list[Part] | None) -> int:
    """Write what is left of a part under its own id; `notes` null: it is an orphan, of which nothing is left."""
    ids = read_arrow(lake, part, ["trajectory_id"])["trajectory_id"].to_pylist()
    left: set[str] = set()
    if notes is not None and lake.members(part) != [trajectory_id]:
        left = spoken_of(lake, part, notes) - {trajectory_id}
    into = layout.part_id(left)
    if left and into == part.part_id:  # it already has the id of what is left: written anew in its place
        copy_part(lake, part, lake, left, notes or [])
        return int(ids.count(trajectory_id))
    with moves.moving(lake, [into] if left else [], [part.part_id]):
        if left:
            copy_part(lake, part, lake, left, notes or [])
    return int(ids.count(trajectory_id))


def _forget_notes(lake: Lake, trajectory_id: str, report: Forgotten) -> None:
    for note in lake.note_files():
        if _names(read_arrow(lake, note), trajectory_id):
            lake.store.remove(note.name)
            report.notes.append(note.name)


def _may_name(lake: Lake, name: str, trajectory_id: str) -> bool:
    """Tell whether a file that was set aside names it; one that cannot be read might."""
    try:
        return _names(read_arrow(lake, Part("", None, "", lake.store.path(name), name)), trajectory_id)
    except WorldtapeError:
        return True


def _names(rows: pa.Table, trajectory_id: str) -> bool:
    return any(_named(column.combine_chunks(), mention(trajectory_id)) for column in rows.columns)


def _named(cells: pa.Array, pattern: str) -> bool:
    """Tell whether a text matches, however deep it lies in lists and structs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = cells.type
    if isinstance(cells, pa.ChunkedArray):
        return any(_named(chunk, pattern) for chunk in cells.chunks)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_struct(kind):
        inner = cells.flatten()
        return any(_named(field, pattern) for field in (inner if isinstance(inner, list) else [inner]))
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return bool(text and pc.any(pc.match_substring_regex(cells, pattern)).as_py())


def _forget_tapes(lake: Lake, tapes: list[str], report: Forgotten) -> None:
    mine = {digest for name in tapes for digest in blob_names(lake, name)}
    blobs = {digest for digest in mine if any(lake.store.exists(name) for name in blob_files(digest))}
    for name in tape_names(lake) if blobs else []:
        if name not in tapes and blobs:
            blobs -= blob_names(lake, name)
    for digest in sorted(blobs):
        for name in blob_files(digest):
            lake.store.remove(name)
    for name in tapes:
        if pack_name(name):
            drop_packed(lake, name)
        else:
            lake.store.remove(name)
    report.tapes, report.blobs = tapes, len(blobs)


def _descendants(lake: Lake, trajectory_id: str) -> list[str]:
    found: list[str] = []
    for part in lake.parts("trajectories"):
        rows = read_arrow(lake, part, ["trajectory_id", "parent"]).to_pylist()
        found += [row["trajectory_id"] for row in rows if row["parent"] == trajectory_id]
    return sorted(found)


def _mentions(lake: Lake, trajectory_id: str) -> list[str]:
    ours = (f"{layout.TAPES}/", f"{layout.BLOBS}/")
    pattern = re.compile(mention(trajectory_id).encode())
    return [
        name
        for name in lake.store.names()
        if pattern.search(name.encode()) or (not name.startswith(ours) and _says(lake, name, trajectory_id, pattern))
    ]


def _says(lake: Lake, name: str, trajectory_id: str, pattern: re.Pattern[bytes]) -> bool:
    if name.endswith(".parquet"):
        ours = layout.TABLE_FILE.fullmatch(name) or layout.NOTE_FILE.fullmatch(name)
        return not ours and _may_name(lake, name, trajectory_id)
    return lake.store.size(name) <= _SMALL and bool(pattern.search(lake.store.read(name)))
