"""A part without some of its trajectories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from worldtape.storage.lake._layout import part_id
from worldtape.storage.lake._read import read_arrow, twin

if TYPE_CHECKING:
    import pyarrow as pa

    from worldtape.storage.lake._lake import Lake
    from worldtape.storage.lake._part import Part


def kept(rows: pa.Table, trajectory_ids: Collection[str]) -> pa.Table:
    """Return the rows of these trajectories; metadata is kept."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pa.array(sorted(trajectory_ids), type=pa.large_string())
    return rows.filter(pc.is_in(rows["trajectory_id"].cast(pa.large_string()), value_set=wanted))


def notes_by_part(lake: Lake) -> dict[str, list[Part]]:
    """Return every note's file by the part it speaks of: one listing, however many parts there are."""
    found: dict[str, list[Part]] = defaultdict(list)
    for note in lake.note_files():
        found[note.part_id].append(note)
    return found


def spoken_of(lake: Lake, part: Part, notes: Iterable[Part]) -> set[str]:
    """Return the trajectories that a part has rows or notes of: a tape that could not be projected has only a note.

    Args:
        lake: where the part lies.
        part: of either table.
        notes: those of this part (`notes_by_part`).
    """
    found = set(lake.members(part))
    for note in notes:
        found.update(read_arrow(lake, note, ["trajectory_id"])["trajectory_id"].to_pylist())
    return found


def copy_part(source: Lake, part: Part, target: Lake, trajectory_ids: Collection[str], notes: Iterable[Part]) -> str:
    """Write these trajectories of a part, with its notes, as a part of `target`; return its id.

    Notes stand before the tables that they speak of: a part is never seen half judged.
    """
    into = part_id(trajectory_ids)
    for note in notes:
        target.write_note(note.table, into, kept(read_arrow(source, note), trajectory_ids))
    tables = [kept(read_arrow(source, twin(source, part, t)), trajectory_ids) for t in ("trajectories", "transitions")]
    target.write_part(str(part.domain), into, *tables)
    return into
