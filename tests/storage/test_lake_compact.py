"""Compacting loses no part, whatever ids the parts have."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.storage import _lake_writers, _lakes
from worldtape.errors import FormatError
from worldtape.storage import Lake, part_id
from worldtape.storage.lake import compact, recover_parts
from worldtape.storage.lake._moves import moving


def half(root: Path) -> Lake:
    """Return a lake whose part `ab` has rows of a and only a note of b, which another part has rows of."""
    lake = Lake.open(root, create=True)
    lake.write_part("terminal", part_id("ab"), *_lakes.tables("a"))
    lake.write_note("rules", part_id("ab"), _lakes.note("ab"))
    _lakes.write(lake, ["b"])
    lake.write_note("rules", part_id("b"), _lakes.note("b"))
    return lake


def noted(lake: Lake) -> list[str]:
    return sorted(i for part in lake.note_parts("rules") for i in lake.read(part)["trajectory_id"].to_list())


def test_a_part_that_has_the_id_of_the_whole_is_not_lost(tmp_path: Path):
    lake = half(tmp_path)
    done = compact(lake)
    assert (done.before, done.after) == (2, 1)
    assert [part.part_id for part in lake.parts()] == [part_id("ab")]
    assert _lakes.rows(lake, "trajectories") == [("a", 3), ("b", 3)]
    assert noted(lake) == ["a", "b"]
    assert not lake.store.names("moves")


@pytest.mark.parametrize("files", range(1, 9))
def test_killed_at_any_moment(tmp_path: Path, files: int):
    lake = half(tmp_path)
    writer = _lake_writers.start(f"die_after_publishing({str(tmp_path)!r}, {files}, 'compact')")
    assert writer.wait() in (0, -signal.SIGKILL)
    assert _lakes.rows(lake, "trajectories") == [("a", 3), ("b", 3)]
    recover_parts(lake)
    assert _lakes.rows(lake, "trajectories") == [("a", 3), ("b", 3)]
    compact(lake)
    assert _lakes.rows(lake, "trajectories") == [("a", 3), ("b", 3)]


def test_an_empty_part_goes_into_the_other(tmp_path: Path):
    lake = Lake.open(tmp_path, create=True)
    _lakes.write(lake, ["a"])
    lake.write_part("terminal", "none", *_lakes.tables([]))
    assert compact(lake).after == 1
    assert _lakes.rows(lake, "trajectories") == [("a", 3)]


def test_no_part_replaces_itself(tmp_path: Path):
    lake = half(tmp_path)
    with (
        pytest.raises(FormatError, match="replace itself"),
        moving(lake, [part_id("b")], [part_id("ab"), part_id("b")]),
    ):
        pass
    assert not lake.store.names("moves")


def test_a_journal_of_a_part_that_replaces_itself_hides_and_removes_nothing(tmp_path: Path):
    lake = half(tmp_path)
    (tmp_path / "moves").mkdir()
    journal = {"into": [part_id("ab")], "parts": sorted([part_id("ab"), part_id("b")])}
    (tmp_path / "moves" / "x.json").write_text(json.dumps(journal))
    assert _lakes.rows(lake, "trajectories") == [("a", 3), ("b", 3)]
    assert recover_parts(lake).moves == 1
    assert _lakes.rows(lake, "trajectories") == [("a", 3), ("b", 3)]
    assert not lake.store.names("moves")


def test_a_trajectory_in_two_parts_is_one_clear_line(tmp_path: Path):
    lake = Lake.open(tmp_path, create=True)
    _lakes.write(lake, ["a", "b"])
    _lakes.write(lake, ["b", "c"])
    before = _lakes.files(tmp_path)
    with pytest.raises(FormatError, match="b stands in two parts; run `worldtape recover`"):
        compact(lake)
    assert _lakes.files(tmp_path) == before
