"""A trajectory stands in one part, and one at a time changes which parts there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage import _lakes
from worldtape.errors import LockedError
from worldtape.storage import Lake, part_id
from worldtape.storage.lake import alone, compact, forget, merge, recover_parts


def overlapping(root: Path, *groups: str) -> Lake:
    lake = Lake.open(root, create=True)
    for group in groups:
        part = _lakes.write(lake, list(group))
        lake.write_note("rules", part, _lakes.note(group))
    return lake


@pytest.mark.parametrize(
    ("groups", "parts"),
    [
        (("cd", "ab", "de"), {"cd", "ab", "e"}),
        (("abc", "cd", "d"), {"abc", "d"}),
        (("abc", "bcd", "cde"), {"abc", "d", "e"}),
        (("ab", "a", "b", "bc", "c"), {"ab", "c"}),
    ],
)
def test_recovery_leaves_every_trajectory_in_one_part(tmp_path: Path, groups: tuple[str, ...], parts: set[str]):
    lake = overlapping(tmp_path, *groups)
    everything = sorted(set("".join(groups)))
    assert recover_parts(lake).repeated
    assert [i for i, _ in _lakes.rows(lake, "trajectories")] == everything
    assert sorted(i for part in lake.note_parts("rules") for i in lake.read(part)["trajectory_id"]) == everything
    found = {"".join(lake.members(part)) for part in lake.parts()}
    assert all(part.part_id == part_id(lake.members(part)) for part in lake.parts())
    assert len(found) == len(parts)
    assert sorted("".join(sorted(found))) == everything
    assert recover_parts(lake).repeated == []


def test_one_at_a_time(tmp_path: Path):
    lake = overlapping(tmp_path, "ab", "bc")
    with alone(lake):
        for change in (compact, lambda lake: forget(lake, "a"), lambda lake: merge(lake, [])):
            with pytest.raises(LockedError, match="somebody else is changing this lake; wait"):
                change(Lake.open(tmp_path))
        assert recover_parts(lake).repeated == []
    assert len(recover_parts(lake).repeated) == 1
    assert not (tmp_path / ".cache" / "lock").exists()
    (tmp_path / ".cache" / "lock").touch()
    compact(lake)
