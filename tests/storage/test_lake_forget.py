"""Forgetting takes down exactly one trajectory."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.storage import _lakes
from worldtape.errors import NotFoundError
from worldtape.storage import Lake, part_id, tape_path
from worldtape.storage.lake import forget
from worldtape.storage.lake._layout import tape_folder

LIKE = "run-174"
"""Stands in the same folder as `run-1`, whose id it begins with."""


def two(root: Path) -> Lake:
    lake = Lake.open(root, create=True)
    for name in ("run-1", LIKE):
        _lakes.write(lake, [name])
        _lakes.tape(lake, name)
    return lake


def test_an_id_that_begins_with_it_stays(tmp_path: Path):
    assert tape_folder("run-1") == tape_folder(LIKE)
    lake = two(tmp_path)
    lake.write_note("rules", part_id([LIKE]), _lakes.note([LIKE], evidence=f"repeats {LIKE}:2"))
    (tmp_path / "todo.txt").write_text(f"look at {LIKE}")
    done = forget(lake, "run-1")
    assert [Path(name).name for name in done.tapes] == ["run-1.jsonl.zst"]
    assert (done.notes, done.mentioned_in) == ([], [])
    assert [tape.trajectory_id for tape in lake.tapes()] == [LIKE]
    assert _lakes.rows(lake, "trajectories") == [(LIKE, 3)]


@pytest.mark.parametrize("name", ["run-", "run", "un-1", "run-1.jsonl", "run-1*", ".", ""])
def test_half_an_id_is_no_id(tmp_path: Path, name: str):
    lake = two(tmp_path)
    before = _lakes.files(tmp_path)
    with pytest.raises(NotFoundError, match="no such trajectory"):
        forget(lake, name)
    assert _lakes.files(tmp_path) == before


def test_everything_that_belongs_to_a_tape_goes(tmp_path: Path):
    lake = two(tmp_path)
    folder = tape_path(tmp_path, "run-1").parent
    left = [f"{LIKE}.torn", "run-1.torn.jsonl.zst", "run-1.jsonl-copy"]
    for name in ("run-1.torn", "run-1.torn.2", "run-1.jsonl", "run-1.jsonl.zst.tmp", "run-1.jsonl.zst.damaged", *left):
        (folder / name).write_bytes(b"x")
    assert len(forget(lake, "run-1").tapes) == 6
    assert sorted(path.name for path in folder.iterdir()) == sorted([f"{LIKE}.jsonl.zst", *left])


@pytest.mark.parametrize("text", ["run-1", "x run-1:2", '{"of":"run-1"}', "see run-1.", "tapes/97/run-1.jsonl.zst"])
def test_a_note_that_names_it_goes(tmp_path: Path, text: str):
    lake = two(tmp_path)
    lake.write_note("rules", part_id([LIKE]), _lakes.note([LIKE], evidence=text))
    assert len(forget(lake, "run-1").notes) == 1


def test_of_set_aside_only_what_may_name_it_goes(tmp_path: Path):
    lake = two(tmp_path)
    aside = tmp_path / "set-aside" / "notes" / "rules"
    aside.mkdir(parents=True)
    pq.write_table(_lakes.note([LIKE]), aside / "other.parquet")
    pq.write_table(_lakes.note(["run-1"]), aside / "own.parquet")
    (aside / "torn.parquet").write_bytes(b"PAR1")
    done = forget(lake, "run-1")
    assert done.set_aside == ["set-aside/notes/rules/own.parquet", "set-aside/notes/rules/torn.parquet"]
    assert [path.name for path in aside.iterdir()] == ["other.parquet"]


def test_the_cache_is_emptied_and_strange_tables_are_named(tmp_path: Path):
    lake = two(tmp_path)
    lake.commit()
    cached = tmp_path / ".cache" / "exact_duplicates" / "x.parquet"
    cached.parent.mkdir()
    pq.write_table(_lakes.note(["run-1"]), cached)
    pq.write_table(_lakes.note(["run-1"]), tmp_path / "export.parquet")
    pq.write_table(_lakes.note([LIKE]), tmp_path / "others.parquet")
    done = forget(lake, "run-1")
    assert lake.store.names(".cache") == []
    assert done.mentioned_in == ["export.parquet"]
