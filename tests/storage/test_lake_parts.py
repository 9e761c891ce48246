"""Parts of a lake: their bytes, their row groups, and who else can read them."""

from __future__ import annotations

import json
import pickle
import random
import signal
from pathlib import Path

import dask.dataframe as dd
import datasets
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.storage import _lake_writers, _lakes
from worldtape.errors import FormatError, InputError, NotFoundError, VersionError
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS, arrow_table
from worldtape.storage import Lake, part_id
from worldtape.storage.lake import recover_parts
from worldtape.storage.lake._rows import row_bytes, row_groups


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake.open(tmp_path / "lake", create=True)


def test_no_lake_here(tmp_path: Path):
    with pytest.raises(NotFoundError, match="no lake here"):
        Lake.open(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_tapes_alone_are_a_lake(tmp_path: Path):
    _lakes.tape(Lake.open(tmp_path, create=True), "a")
    (tmp_path / "lake.json").unlink()
    assert [tape.trajectory_id for tape in Lake.open(tmp_path).tapes()] == ["a"]


def test_a_newer_major_version_is_refused_by_name(lake: Lake):
    Path(lake.store.full("lake.json")).write_text('{"format": "worldtape-lake", "version": "2.0"}')
    with pytest.raises(VersionError, match=r"format 2\.0, newer than 1\.0.*install a newer"):
        Lake.open(lake.uri)


def test_a_newer_minor_version_is_read(lake: Lake):
    Path(lake.store.full("lake.json")).write_text('{"version": "1.7", "new": 1}')
    assert Lake.open(lake.uri).parts() == []


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"version": "x"}', "\xff"])
def test_a_broken_manifest_is_named(lake: Lake, text: str):
    Path(lake.store.full("lake.json")).write_text(text, encoding="latin-1")
    with pytest.raises(FormatError, match=r"lake\.json"):
        Lake.open(lake.uri)


def test_tapes_count_once(lake: Lake):
    _lakes.tape(lake, "a")
    _lakes.tape(lake, "b", sealed=False)
    Path(lake.store.full(f"{next(lake.tapes()).name[:-4]}")).write_bytes(b"")
    assert [(tape.trajectory_id, tape.sealed) for tape in lake.tapes()] == [("a", True), ("b", False)]


def test_written_and_read(lake: Lake):
    name = _lakes.write(lake, ["b", "a"])
    (part,) = lake.parts("transitions", "terminal")
    assert (part.part_id, part.domain, part.table) == (name, "terminal", "transitions")
    assert lake.members(part) == ["a", "b"]
    assert lake.read(part, ["trajectory_id", "step"]).rows() == [(i, s) for i in "ab" for s in range(3)]
    assert lake.parts(domain="web") == []
    assert lake.read(part).columns == [column.name for column in TRANSITIONS]
    assert pickle.loads(pickle.dumps(lake)).parts() == [part]


def test_the_same_rows_give_the_same_bytes(lake: Lake, tmp_path: Path):
    other = Lake.open(tmp_path / "other", create=True)
    _lakes.write(lake, [str(i) for i in range(40)])
    trajectories, transitions = _lakes.tables(str(i) for i in reversed(range(40)))
    shuffled = transitions.take(random.Random(4).sample(range(120), 120))
    chunked = pa.concat_tables([shuffled.slice(0, 7), shuffled.slice(7)])
    other.write_part(
        "terminal", part_id(str(i) for i in range(40)), trajectories, chunked.select(chunked.column_names[::-1])
    )
    assert _lakes.files(lake.store.root) == _lakes.files(other.store.root)
    assert lake.commit() == other.commit()


def test_the_commit_follows_the_parts(lake: Lake):
    empty = lake.commit()
    _lakes.write(lake, ["a"])
    one = lake.commit()
    cache = Path(lake.store.full(".cache/digests.json"))
    assert one != empty
    assert lake.commit() == one
    known = json.loads(cache.read_text())
    assert sorted(known) == sorted(part.name for table in ("trajectories", "transitions") for part in lake.parts(table))
    lake.write_part("terminal", part_id(["a"]), *_lakes.tables(["a"], steps=2))
    assert lake.commit() != one
    _lakes.write(lake, ["a"])
    assert lake.commit() == one
    cache.write_text("torn")
    assert lake.commit() == one


def test_row_groups_are_bounded_by_bytes_and_a_huge_cell_stands_alone(lake: Lake):
    limit = 100_000
    sizes = [10, 60_000, 60_000, 500_000, 20, 30, 99_000, 5]
    rows = [_lakes.transition("a", step, text="x" * size) for step, size in enumerate(sizes)]
    trajectories = arrow_table(TRAJECTORIES, [_lakes.trajectory("a", len(rows))])
    lake.write_part("terminal", "p", trajectories, arrow_table(TRANSITIONS, rows), row_group_bytes=limit)
    file = pq.ParquetFile(lake.parts()[0].path)
    groups = [file.read_row_group(group) for group in range(file.num_row_groups)]
    assert [group["step"].to_pylist() for group in groups] == [[0, 1], [2], [3], [4, 5], [6, 7]] or all(
        group.num_rows == 1 or int(row_bytes(group).sum()) <= limit for group in groups
    )
    assert len(groups) > 3
    assert lake.read(lake.parts()[0])["observation_text"].str.len_bytes().to_list() == sizes


@given(st.lists(st.integers(0, 200), max_size=40), st.integers(1, 300))
def test_row_groups_cover_every_row_once(sizes: list[int], limit: int):
    groups = list(row_groups(np.asarray(sizes, dtype=np.int64), limit))
    assert [place for start, stop in groups for place in range(start, stop)] == list(range(len(sizes)))
    assert all(stop - start == 1 or sum(sizes[start:stop]) <= limit for start, stop in groups)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.none() | st.text(max_size=20), max_size=8), st.lists(st.lists(st.text(max_size=5)), max_size=8))
def test_row_bytes_add_up(texts: list[str | None], lists: list[list[str]]):
    texts += [None] * (len(lists) - len(texts))
    lists += [[] for _ in range(len(texts) - len(lists))]
    table = pa.table({"t": pa.array(texts, pa.large_string()), "l": pa.array(lists, pa.list_(pa.large_string()))})
    wanted = [
        len((t or "").encode()) + 4 + sum(len(x.encode()) + 4 for x in y) for t, y in zip(texts, lists, strict=True)
    ]
    assert row_bytes(table).tolist() == wanted


def test_files_carry_page_index_and_checksums(lake: Lake):
    _lakes.write(lake, ["a"])
    column = pq.ParquetFile(lake.parts()[0].path).metadata.row_group(0).column(1)
    assert column.has_column_index
    assert column.has_offset_index
    assert column.compression == "ZSTD"


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask against pandas 3.1
def test_others_read_the_folder_as_it_is(lake: Lake):
    _lakes.write(lake, ["a", "b"])
    _lakes.write(lake, ["c"], domain="web")
    folder = lake.store.full("transitions")
    wanted = ["terminal"] * 6 + ["web"] * 3
    for hive in ("", ", hive_partitioning = true"):
        sql = f"SELECT domain FROM read_parquet('{folder}/**/*.parquet'{hive}) ORDER BY 1"
        assert [row[0] for row in duckdb.connect().execute(sql).fetchall()] == wanted
    assert sorted(pl.scan_parquet(folder).collect()["domain"].to_list()) == wanted
    assert sorted(pl.read_parquet(f"{folder}/**/*.parquet", hive_partitioning=True)["domain"].to_list()) == wanted
    assert sorted(pads.dataset(folder, partitioning="hive").to_table()["domain"].to_pylist()) == wanted
    assert sorted(dd.read_parquet(folder).compute(scheduler="sync")["domain"]) == wanted


def test_datasets_reads_the_folder_as_it_is(lake: Lake, tmp_path: Path):
    _lakes.write(lake, ["a", "b"])
    _lakes.write(lake, ["c"], domain="web")
    found = datasets.load_dataset(lake.store.full("transitions"), cache_dir=str(tmp_path / "cache"), split="train")
    assert sorted(found["domain"]) == ["terminal"] * 6 + ["web"] * 3
    assert found.features["observation_text"].dtype == "large_string"
    assert found.features["started_at"].dtype == "timestamp[us, tz=UTC]"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda t: t.drop_columns(["step"]), "lacks .'step'."),
        (lambda t: t.append_column("new", pa.array([1] * t.num_rows)), "has no column .'new'."),
        (lambda t: t.set_column(2, "step", pa.array(["x"] * t.num_rows)), "does not fit its schema"),
        (lambda t: t.set_column(3, "domain", pa.array(["web"] * t.num_rows)), "hold rows of .'web'."),
        (lambda t: t.set_column(1, "trajectory_id", pa.array(["z"] * t.num_rows)), "not in the part: z"),
    ],
)
def test_rows_that_do_not_fit_are_refused_and_leave_nothing(lake: Lake, spoil, message: str):
    trajectories, transitions = _lakes.tables(["a"])
    with pytest.raises(InputError, match=message):
        lake.write_part("terminal", "p", trajectories, spoil(transitions))
    assert set(_lakes.files(lake.store.root)) == {"lake.json"}


@pytest.mark.parametrize(("domain", "name"), [("kitchen", "p"), ("terminal", "../p"), ("terminal", "")])
def test_names_that_would_leave_the_lake_are_refused(lake: Lake, domain: str, name: str):
    with pytest.raises(InputError):
        lake.write_part(domain, name, *_lakes.tables(["a"], domain=domain))


def test_many_writers_at_once(tmp_path: Path):
    root = str(tmp_path / "lake")
    writers = [_lake_writers.start(f"many({root!r}, {number})") for number in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    lake = Lake.open(root)
    ids = sorted([f"{w}-{t}" for w in range(4) for t in range(6)] + [f"shared-{t}" for t in range(6)])
    assert _lakes.rows(lake) == [(i, s) for i in ids for s in range(3)]
    assert not [name for name in lake.store.names() if name.endswith("tmp")]


def test_killed_between_the_two_renames(lake: Lake):
    _lakes.write(lake, ["a"])
    before = _lakes.files(lake.store.root)
    writer = _lake_writers.start(f"die_after_publishing({lake.store.root!r}, 1, 'write')")
    assert writer.wait() == -signal.SIGKILL
    assert len(lake.files("transitions")) == 2
    assert len(lake.files("trajectories")) == 1
    assert [part.part_id for part in lake.parts()] == [part_id(["a"])]
    report = recover_parts(lake)
    assert len(report.orphans) == 1
    assert len(report.temporary) == 1
    assert _lakes.files(lake.store.root) == before
    assert recover_parts(lake) == type(report)()


def test_recovery_leaves_a_living_writer_alone(lake: Lake):
    trajectories, transitions = _lakes.tables(["a"])
    name = "trajectories/domain=terminal/part-p.parquet"
    with lake.store.writing(name) as path:
        lake.write_part("terminal", "p", trajectories, transitions)
        lake.store.remove(name)
        report = recover_parts(lake)
        assert not report.orphans
        assert not report.temporary
        pq.write_table(trajectories, path)
    assert lake.members(lake.parts()[0]) == ["a"]


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "text"])
def test_a_corrupt_part_is_named_and_set_aside(lake: Lake, damage: str):
    _lakes.write(lake, ["a"])
    bad = _lakes.write(lake, ["b"])
    (part,) = [part for part in lake.parts() if part.part_id == bad]
    path = Path(part.path)
    data = path.read_bytes()
    spoiled = {
        "cut": data[:-9],
        "flip": data[:600] + bytes([data[600] ^ 255]) + data[601:],
        "empty": b"",
        "text": b"x" * 99,
    }
    path.write_bytes(spoiled[damage])
    if damage != "flip":
        with pytest.raises(FormatError, match=rf"part-{bad}\.parquet: not a readable Parquet file"):
            lake.read(part)
    (good,) = [other for other in lake.parts() if other.part_id != bad]
    assert lake.read(good).height == 3
    report = recover_parts(lake)
    assert report.damaged == [part.name]
    assert [other.part_id for other in lake.parts()] == [good.part_id]
    assert Path(lake.store.full(f"set-aside/{part.name}")).is_file()


def test_a_part_that_is_gone(lake: Lake):
    _lakes.write(lake, ["a"])
    (part,) = lake.parts()
    Path(part.path).unlink()
    with pytest.raises(NotFoundError, match="no such part"):
        lake.read(part)


def test_an_unknown_column_is_no_damage(lake: Lake):
    _lakes.write(lake, ["a"])
    with pytest.raises(InputError, match="nope"):
        lake.read(lake.parts()[0], ["nope"])


def test_notes_keep_their_metadata_and_wide_text(lake: Lake):
    name = _lakes.write(lake, ["a", "b"])
    table = pa.table(
        {
            "trajectory_id": pa.array(["b", "a"]),
            "step": pa.array([1, None], pa.int64()),
            "class": pa.array(["x", "y"]).dictionary_encode(),
            "tags": pa.array([["q"], []], pa.list_(pa.string_view())),
        },
        metadata={"worldtape.settings": "abc"},
    )
    lake.write_note("turn_classes", name, table)
    lake.write_note(
        "rules", name, pl.DataFrame({"trajectory_id": ["a"], "step": [None]}, schema_overrides={"step": pl.Int64})
    )
    assert lake.stages() == ["rules", "turn_classes"]
    (part,) = lake.note_parts("turn_classes")
    assert lake.read(part)["trajectory_id"].to_list() == ["a", "b"]
    schema = pq.read_schema(part.path)
    assert schema.metadata == {b"worldtape.settings": b"abc"}
    assert {str(field.type) for field in schema} == {"large_string", "int64", "list<element: large_string>"}
    assert pc.sum(pq.ParquetFile(part.path).read()["step"]).as_py() == 1


@pytest.mark.parametrize("stage", ["turns", "trajectories", "A", "a-b", "../x", ""])
def test_stages_that_cannot_be_views_are_refused(lake: Lake, stage: str):
    with pytest.raises(InputError, match="cannot name a stage"):
        lake.write_note(stage, "p", _lakes.note(["a"]))


def test_a_note_needs_its_key(lake: Lake):
    with pytest.raises(InputError, match=r"needs the columns .'step'."):
        lake.write_note("rules", "p", pa.table({"trajectory_id": ["a"]}))
