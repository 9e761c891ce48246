"""Trajectories that stand in several parts: two projections at once, or a crash, can leave them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from worldtape.storage.lake._layout import part_id
from worldtape.storage.lake._moves import drop, moving
from worldtape.storage.lake._rewrite import copy_part, notes_by_part, spoken_of

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake
    from worldtape.storage.lake._part import Part


def cut_repeats(lake: Lake, members: Mapping[Part, frozenset[str]] | None = None) -> list[str]:
    """Cut every trajectory that stands in several parts out of all but the biggest; return the parts that changed.

    A part of which nothing is left is removed. Each part is replaced in one step, so that a crash leaves a lake of
    which the same again finishes the rest.

    Args:
        lake: nobody else may be changing it.
        members: of every part of `trajectories`, where they are known.
    """
    if members is None:
        members = {part: frozenset(lake.members(part)) for part in lake.parts("trajectories")}
    taken: set[str] = set()
    settled = frozenset().union(*members.values())
    changed = []
    for part in sorted(members, key=lambda part: (-len(members[part]), part.name)):
        left = members[part] - taken
        if left < members[part]:
            left = _cut(lake, part, left, members, settled)
            changed.append(part.name)
        taken |= left
    return changed


def _cut(
    lake: Lake, part: Part, left: frozenset[str], members: Mapping[Part, frozenset[str]], settled: frozenset[str]
) -> frozenset[str]:
    """Replace a part by one of `left`; what the part of that id has already stays there. Return what was written."""
    notes = notes_by_part(lake)[part.part_id]
    alone = spoken_of(lake, part, notes) - settled
    ids = {other.part_id: rows for other, rows in members.items()}
    while left and (found := ids.get(part_id(left | alone))) is not None:
        if not found & left:
            drop(lake, [part_id(left | alone)])
            break
        left -= found
    if not left:
        drop(lake, [part.part_id])
        return left
    with moving(lake, [part_id(left | alone)], [part.part_id]):
        copy_part(lake, part, lake, left | alone, notes)
    return left
