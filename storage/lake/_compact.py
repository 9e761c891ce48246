"""Small parts into bigger ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from worldtape.errors import FormatError
from worldtape.storage.lake import _moves as moves
from worldtape.storage.lake._alone import alone
from worldtape.storage.lake._layout import part_id
from worldtape.storage.lake._read import plain_bytes, read_arrow, twin
from worldtape.storage.lake._rewrite import copy_part, kept, notes_by_part, spoken_of

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
    """The trajectories it has rows of, and those it alone has notes of."""
    size: int
    notes: tuple[Part, ...]

    @property
    def stages(self) -> tuple[str, ...]:
        return tuple(note.table for note in self.notes)


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
    moment leaves the old parts or the new one in force, never both; `recover` tidies up.

    Args:
        lake: the lake.
        target_bytes: uncompressed bytes of a part of transitions; also what is held in memory.
        domain: only this one.
        progress: called with how many groups are done and how many there are.

    Raises:
        FormatError: a part is damaged, or a trajectory stands in two; nothing of its group has changed.
        LockedError: somebody else is changing the lake.
    """
    with alone(lake):
        return _compact(lake, target_bytes, domain, progress)


def _compact(
    lake: Lake, target_bytes: int, domain: str | None, progress: Callable[[int, int], None] | None
) -> Compacted:
    moves.finish_all(lake)
    report = Compacted(before=len(lake.parts("trajectories", domain)))
    groups = list(_groups(_candidates(lake, domain), target_bytes))
    for done, group in enumerate(groups, start=1):
        _merge(lake, group)
        report.merged += len(group)
        if progress is not None:
            progress(done, len(groups))
    report.after = len(lake.parts("trajectories", domain))
    return report


def _candidates(lake: Lake, domain: str | None) -> list[_Candidate]:
    notes = notes_by_part(lake)
    parts = lake.parts("transitions")
    rows = {part: set(lake.members(part)) for part in parts}
    settled = set().union(*rows.values())
    found = []
    for part in parts:
        judged = notes.get(part.part_id, [])
        alone = spoken_of(lake, part, judged) - settled
        settled |= alone
        if domain in (None, part.domain):
            members = tuple(sorted(rows[part] | alone))
            found.append(_Candidate(part, members, plain_bytes(lake, part), tuple(judged)))
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


def _merge(lake: Lake, group: list[_Candidate]) -> None:
    members = [member for candidate in group for member in candidate.members]
    if len(set(members)) < len(members):
        twice = min(member for member in members if members.count(member) > 1)
        raise FormatError(f"{twice} stands in two parts", where=lake, fix="run `worldtape recover` first")
    into = part_id(members)
    group = [_renamed(lake, candidate) if candidate.part.part_id == into else candidate for candidate in group]
    old = [candidate.part.part_id for candidate in group]
    if into in old:
        with moves.moving(lake, [], [other for other in old if other != into]):  # the others hold nothing at all
            return
    with moves.moving(lake, [into], old):
        _merge_notes(lake, group, into)
        lake.write_part(str(group[0].part.domain), into, _rows(lake, group, "trajectories"), _rows(lake, group))


def _renamed(lake: Lake, candidate: _Candidate) -> _Candidate:
    """Give a part the id of what it holds: it has the id of a bigger set, of which a part is to be made."""
    name = part_id(candidate.members)
    if name == candidate.part.part_id:
        return candidate
    with moves.moving(lake, [name], [candidate.part.part_id]):
        copy_part(lake, candidate.part, lake, candidate.members, candidate.notes)
    part = next(part for part in lake.parts("transitions") if part.part_id == name)
    return replace(candidate, part=part, notes=tuple(notes_by_part(lake)[name]))


def _rows(lake: Lake, group: list[_Candidate], table: str = "transitions") -> pa.Table:
    import pyarrow as pa

    rows = [read_arrow(lake, twin(lake, candidate.part, table)) for candidate in group]
    return pa.concat_tables(rows, promote_options="permissive")


def _merge_notes(lake: Lake, group: list[_Candidate], into: str) -> None:
    import pyarrow as pa

    for stage in group[0].stages:
        rows = [
            kept(read_arrow(lake, note), candidate.members)
            for candidate in group
            for note in candidate.notes
            if note.table == stage
        ]
        merged = pa.concat_tables([r.replace_schema_metadata(None) for r in rows], promote_options="permissive")
        lake.write_note(stage, into, merged.replace_schema_metadata(_agreed(rows)))


def _agreed(rows: list[pa.Table]) -> dict[bytes, bytes] | None:
    all_of_them = [dict(table.schema.metadata or {}) for table in rows]
    same = {key: value for key, value in all_of_them[0].items() if all(m.get(key) == value for m in all_of_them)}
    return same or None
