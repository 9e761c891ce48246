"""Small parts into bigger ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from worldtape.storage.lake import _moves as moves
from worldtape.storage.lake._layout import part_id
from worldtape.storage.lake._read import plain_bytes, read_arrow, twin
from worldtape.storage.lake._rewrite import spoken_of

if TYPE_CHECKING:
    import pyarrow as pa

    from worldtape.storage.lake._lake import Lake
    from worldtape.storage.lake._part import Part

TARGET_BYTES = 512 << 20
"""Uncompressed bytes of a compacted part."""


@dataclass
class Compacted:
    """How many parts there were, how many there are, and how many went into others."""

    before: int = 0
    after: int = 0
    merged: int = 0


@dataclass(frozen=True)
class _Candidate:
    part: Part
    members: tuple[str, ...]
    size: int
    stages: tuple[str, ...]


def compact(
    lake: Lake,
    *,
    target_bytes: int = TARGET_BYTES,
    domain: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Compacted:
    """Merge small parts of each domain into bigger ones.

    A merged part is what projecting its whole set of tapes would write, under the id of that set. Only parts with notes
    of the same stages are merged, and their notes go with them, so that no verdict is lost; of the notes' metadata (the
    settings that made them) what all agree on is kept, so that stages with other settings judge again. A crash at any
    moment leaves the old parts or the new one in force, never both; `recover` tidies up. Do not project or curate the
    same lake at the same time.

    Args:
        lake: the lake.
        target_bytes: uncompressed bytes of a part of transitions; also what is held in memory.
        domain: only this one.
        progress: called with how many groups are done and how many there are.

    Raises:
        FormatError: a part is damaged; nothing of its group has changed.
    """
    moves.finish_all(lake)
    report = Compacted(before=len(lake.parts("trajectories", domain)))
    groups = list(_groups(_candidates(lake, domain), target_bytes))
    for done, group in enumerate(groups, start=1):
        _merge(lake, [candidate.part for candidate in group], [m for candidate in group for m in candidate.members])
        report.merged += len(group)
        if progress is not None:
            progress(done, len(groups))
    report.after = len(lake.parts("trajectories", domain))
    return report


def _candidates(lake: Lake, domain: str | None) -> list[_Candidate]:
    notes: dict[str, list[Part]] = {}
    for note in lake.note_files():
        notes.setdefault(note.part_id, []).append(note)
    found = []
    for part in lake.parts("transitions", domain):
        judged = notes.get(part.part_id, [])
        members = tuple(sorted(spoken_of(lake, part, judged)))
        found.append(_Candidate(part, members, plain_bytes(lake, part), tuple(note.table for note in judged)))
    return sorted(found, key=lambda candidate: (candidate.part.domain, candidate.stages, candidate.members))


def _groups(candidates: list[_Candidate], target: int) -> Iterator[list[_Candidate]]:
    group: list[_Candidate] = []
    for candidate in [*candidates, None]:
        fits = (
            candidate is not None
            and bool(group)
            and (candidate.part.domain, candidate.stages) == (group[0].part.domain, group[0].stages)
            and sum(other.size for other in group) + candidate.size <= target
        )
        if not fits:
            if len(group) > 1:
                yield group
            group = []
        if candidate is not None and candidate.size < target:
            group.append(candidate)


def _merge(lake: Lake, parts: list[Part], members: list[str]) -> None:
    import pyarrow as pa

    into = part_id(members)
    domain = str(parts[0].domain)
    tables = {
        table: pa.concat_tables(
            [read_arrow(lake, twin(lake, part, table)) for part in parts], promote_options="permissive"
        )
        for table in ("trajectories", "transitions")
    }
    old = {part.part_id for part in parts}
    with moves.moving(lake, [into], old):
        _merge_notes(lake, old, into)
        lake.write_part(domain, into, tables["trajectories"], tables["transitions"])


def _merge_notes(lake: Lake, old: set[str], into: str) -> None:
    import pyarrow as pa

    for stage in lake.stages():
        rows = [read_arrow(lake, note) for note in lake.note_files(stage) if note.part_id in old]
        if rows:
            merged = pa.concat_tables([r.replace_schema_metadata(None) for r in rows], promote_options="permissive")
            lake.write_note(stage, into, merged.replace_schema_metadata(_agreed(rows)))


def _agreed(rows: list[pa.Table]) -> dict[bytes, bytes] | None:
    all_of_them = [dict(table.schema.metadata or {}) for table in rows]
    same = {key: value for key, value in all_of_them[0].items() if all(m.get(key) == value for m in all_of_them)}
    return same or None
