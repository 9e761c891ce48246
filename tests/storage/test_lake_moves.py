"""Compacting, merging and forgetting."""

from __future__ import annotations

import signal
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
import zstandard

from tests.storage import _lake_writers, _lakes
from worldtape.errors import FormatError, LockedError, NotFoundError
from worldtape.schemas import Domain, EnvironmentSpec, Header, PolicySpec
from worldtape.storage import Lake, TapeWriter, part_id, query
from worldtape.storage.lake import compact, forget, merge, recover_parts


def make(root: Path, ids: str | list[str], *, notes: bool = True, tapes: bool = True) -> Lake:
    """Return a lake with one part, one tape and one note per trajectory."""
    lake = Lake.open(root, create=True)
    for name in ids:
        part = _lakes.write(lake, [name])
        if notes:
            lake.write_note("rules", part, _lakes.note([name]))
        if tapes:
            _lakes.tape(lake, name, blob=name[:1].encode() * 99)
    return lake


def notes(lake: Lake) -> list[str]:
    return sorted(i for part in lake.note_parts("rules") for i in lake.read(part)["trajectory_id"].to_list())


def test_compacting_gives_what_projecting_the_whole_set_gives(tmp_path: Path):
    lake = make(tmp_path / "small", list("abcd"))
    done = compact(lake)
    assert (done.before, done.after, done.merged) == (4, 1, 4)
    whole = Lake.open(tmp_path / "whole", create=True)
    name = _lakes.write(whole, list("abcd"))
    whole.write_note("rules", name, _lakes.note("abcd"))
    tables = ("trajectories/", "transitions/", "notes/")
    small = {name: data for name, data in _lakes.files(tmp_path / "small").items() if name.startswith(tables)}
    assert small == {name: data for name, data in _lakes.files(tmp_path / "whole").items() if name.startswith(tables)}
    assert compact(lake).merged == 0


def test_compacting_is_bounded_and_keeps_domains_apart(tmp_path: Path):
    lake = make(tmp_path, [str(i) for i in range(6)], notes=False, tapes=False)
    _lakes.write(lake, ["w"], domain="web")
    before = _lakes.rows(lake)
    size = max(compact_size(lake))
    done = compact(lake, target_bytes=int(size * 2.5))
    assert (done.before, done.after, done.merged) == (7, 4, 6)
    assert _lakes.rows(lake) == before
    assert query(lake, "SELECT count(*) AS n FROM turns").to_pylist() == [{"n": 21}]


def compact_size(lake: Lake) -> list[int]:
    from worldtape.storage.lake._read import plain_bytes

    return [plain_bytes(lake, part) for part in lake.parts()]


def test_parts_that_were_judged_by_other_stages_stay_apart(tmp_path: Path):
    lake = make(tmp_path, list("ab"), notes=False)
    lake.write_note("rules", part_id("a"), _lakes.note("a"))
    assert compact(lake).merged == 0
    lake.write_note("rules", part_id("b"), _lakes.note("b"))
    assert compact(lake).merged == 2
    assert notes(lake) == ["a", "b"]


@pytest.mark.parametrize(("settings", "wanted"), [("one", {b"settings": b"one", b"v": b"1"}), ("two", {b"v": b"1"})])
def test_a_merged_note_keeps_the_settings_that_all_agree_on(tmp_path: Path, settings: str, wanted: dict[bytes, bytes]):
    lake = make(tmp_path, list("ab"), notes=False)
    for name, value in (("a", "one"), ("b", settings)):
        table = _lakes.note(name).replace_schema_metadata({"settings": value, "v": "1"})
        lake.write_note("rules", part_id(name), table)
    assert compact(lake).merged == 2
    (note,) = lake.note_parts("rules")
    assert pq.read_schema(note.path).metadata == wanted


def test_a_tape_that_has_only_a_note_stays_with_its_part(tmp_path: Path):
    lake = make(tmp_path / "lake", list("ab"), notes=False)
    lake.write_note("projection", part_id("a"), _lakes.note(["a", "failed", "gone"]))
    lake.write_note("projection", part_id("b"), _lakes.note("b"))
    compact(lake)
    assert [part.part_id for part in lake.parts()] == [part_id(["a", "b", "failed", "gone"])]
    _lakes.tape(lake, "gone")
    forget(lake, "gone")
    assert traces(tmp_path / "lake", "gone") == []
    target = Lake.open(tmp_path / "target", create=True)
    merge(target, [lake])
    assert _lakes.rows(target, "trajectories") == [("a", 3), ("b", 3)]


@pytest.mark.parametrize("files", range(1, 5))
def test_killed_while_compacting(tmp_path: Path, files: int):
    lake = make(tmp_path / "lake", list("abc"))
    wanted = _lakes.rows(lake)
    writer = _lake_writers.start(f"die_after_publishing({lake.store.root!r}, {files}, 'compact')")
    assert writer.wait() == -signal.SIGKILL
    for _ in range(2):
        assert _lakes.rows(lake) == wanted
        assert _lakes.rows(lake, "trajectories") == [(i, 3) for i in "abc"]
        assert notes(lake) == list("abc")
        assert query(lake, "SELECT count(*) AS n FROM rules").to_pylist() == [{"n": 3}]
        recover_parts(lake)
    assert not lake.store.names("moves")
    assert len(lake.files("transitions")) == len(lake.parts())
    compact(lake)
    assert len(lake.parts()) == 1


def test_a_part_inside_a_bigger_one_is_removed_by_recovery(tmp_path: Path):
    lake = make(tmp_path, list("ab"))
    _lakes.write(lake, ["a", "b"])
    report = recover_parts(lake)
    assert len(report.repeated) == 2
    assert _lakes.rows(lake, "trajectories") == [("a", 3), ("b", 3)]


def test_recovery_does_not_finish_what_somebody_else_is_doing(tmp_path: Path):
    from worldtape.storage.lake._moves import moving

    lake = make(tmp_path, list("ab"))
    with moving(lake, [part_id("ab")], [part_id("a"), part_id("b")]):
        assert recover_parts(lake).moves == 0
        _lakes.write(lake, ["a", "b"])
    assert [part.part_id for part in lake.parts()] == [part_id("ab")]
    assert not lake.store.names("moves")


def test_merging_twice_adds_nothing(tmp_path: Path):
    one, two = make(tmp_path / "one", list("ab")), make(tmp_path / "two", list("bc"))
    target = Lake.open(tmp_path / "target", create=True)
    done = merge(target, [one, two])
    assert (done.tapes, done.blobs, done.parts, done.trajectories, done.known) == (3, 3, 3, 3, 1)
    before = _lakes.files(tmp_path / "target")
    assert notes(target) == list("abc")
    again = merge(target, [two, one, target])
    assert (again.tapes, again.blobs, again.parts, again.trajectories) == (0, 0, 0, 0)
    assert _lakes.files(tmp_path / "target") == before
    for name, data in {**_lakes.files(tmp_path / "two"), **_lakes.files(tmp_path / "one")}.items():
        assert before[name] == data


def test_merging_overlapping_parts_brings_the_new_rows_only(tmp_path: Path):
    source = Lake.open(tmp_path / "source", create=True)
    name = _lakes.write(source, list("abc"))
    source.write_note("rules", name, _lakes.note("abc"))
    target = make(tmp_path / "target", "b")
    assert merge(target, [source]).trajectories == 2
    assert _lakes.rows(target, "trajectories") == [(i, 3) for i in "abc"]
    assert notes(target) == list("abc")
    assert {part.part_id for part in target.parts()} == {part_id("b"), part_id("ac")}


def test_merging_leaves_open_tapes(tmp_path: Path):
    source = make(tmp_path / "source", "a")
    _lakes.tape(source, "open", sealed=False)
    target = Lake.open(tmp_path / "target", create=True)
    done = merge(target, [source])
    assert [Path(path).name for path in done.open] == ["open.jsonl"]
    assert [tape.trajectory_id for tape in target.tapes()] == ["a"]


def traces(root: Path, text: str) -> list[str]:
    """Return every file that holds `text` in its name, bytes, decompressed bytes or Parquet cells."""
    found = []
    for name, data in _lakes.files(root).items():
        plain = data
        if name.endswith(".zst"):
            plain = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        elif name.endswith(".parquet"):
            plain = str(pl.read_parquet(root / name, hive_partitioning=False).rows()).encode()
        if text.encode() in data + plain or text in name:
            found.append(name)
    return found


def test_forgetting_leaves_no_trace(tmp_path: Path):
    lake = make(tmp_path / "lake", ["gone", "kept"])
    other = Lake.open(tmp_path / "lake")
    _lakes.tape(lake, "also", blob=b"g" * 99)
    _lakes.tape(lake, "sole", blob=b"shared")
    both = _lakes.write(lake, ["also", "sole"])
    lake.write_note("exact_duplicates", both, _lakes.note(["also"], evidence="repeats gone:2", keep=False))
    compact(lake)
    assert len(traces(tmp_path / "lake", "gone")) > 3
    source = make(tmp_path / "source", ["gone", "more"])

    done = forget(lake, "gone", reason="asked for")
    assert (len(done.tapes), done.blobs, done.rows) == (1, 0, 3)
    assert [name.split("/")[1] for name in done.notes] == ["exact_duplicates"]
    assert done.mentioned_in == []
    assert "corpora" in done.out_of_reach
    assert traces(tmp_path / "lake", "gone") == []
    assert _lakes.rows(lake, "trajectories") == [(i, 3) for i in ("also", "kept", "sole")]
    assert "sha256:" not in str(lake.forgotten())
    assert other.is_forgotten("gone")
    assert not other.is_forgotten("kept")

    merged = merge(lake, [source])
    assert (merged.refused, merged.trajectories, merged.tapes) == (1, 1, 1)
    assert traces(tmp_path / "lake", "gone") == []
    assert forget(lake, "gone").rows == 0


def test_forgetting_removes_blobs_that_nobody_else_names(tmp_path: Path):
    lake = make(tmp_path / "lake", ["gone", "kept"])
    assert len(lake.store.names("blobs")) == 2
    assert forget(lake, "gone").blobs == 1
    assert len(lake.store.names("blobs")) == 1
    assert traces(tmp_path / "lake", "gone") == []


@pytest.mark.parametrize("files", range(1, 6))
def test_killed_while_forgetting(tmp_path: Path, files: int):
    lake = Lake.open(tmp_path / "lake", create=True)
    ids = ["gone", "kept", "more"]
    name = _lakes.write(lake, ids)
    lake.write_note("rules", name, _lakes.note(ids))
    for one in ids:
        _lakes.tape(lake, one)
    writer = _lake_writers.start(f"die_after_publishing({lake.store.root!r}, {files}, 'forget')")
    killed = writer.wait() == -signal.SIGKILL
    assert {i for i, _ in _lakes.rows(lake, "trajectories")} in ({"kept", "more"}, set(ids))
    forget(lake, "gone")
    recover_parts(lake)
    assert traces(tmp_path / "lake", "gone") == []
    assert _lakes.rows(lake, "trajectories") == [("kept", 3), ("more", 3)]
    assert notes(lake) == ["kept", "more"]
    assert not lake.store.names("moves")
    assert killed or files > 3


def test_forgetting_names_descendants_and_strangers(tmp_path: Path):
    from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS, arrow_table

    lake = make(tmp_path, ["gone"])
    child = _lakes.trajectory("child", 1, lineage={"parent": "gone", "step": 0, "kind": "fork"})
    rows = arrow_table(TRAJECTORIES, [child]), arrow_table(TRANSITIONS, [_lakes.transition("child", 0)])
    lake.write_part("terminal", part_id(["child"]), *rows)
    (tmp_path / "todo.txt").write_text("look at gone again")
    done = forget(lake, "gone")
    assert done.descendants == ["child"]
    assert done.mentioned_in == ["todo.txt"]


def test_forgetting_what_is_not_there(tmp_path: Path):
    lake = make(tmp_path, "a")
    before = _lakes.files(tmp_path)
    with pytest.raises(NotFoundError, match="no such trajectory"):
        forget(lake, "b")
    assert _lakes.files(tmp_path) == before


def test_a_tape_that_is_being_written_is_not_forgotten(tmp_path: Path):
    lake = Lake.open(tmp_path, create=True)
    header = Header(
        trajectory_id="live",
        domain=Domain.TERMINAL,
        environment=EnvironmentSpec(kind="terminal"),
        policy=PolicySpec(kind="script"),
    )
    with TapeWriter.create(tmp_path, header):
        with pytest.raises(LockedError, match="being recorded"):
            forget(lake, "live")
        assert not lake.forgotten()
    assert len(forget(lake, "live").tapes) == 1
    assert list(lake.tapes()) == []


def test_damage_stops_forgetting_before_anything_is_removed(tmp_path: Path):
    lake = make(tmp_path, ["gone", "kept"])
    path = Path(lake.parts("trajectories")[0].path)
    path.write_bytes(b"")
    with pytest.raises(FormatError, match=path.name):
        forget(lake, "gone")
    assert len(list(lake.tapes())) == 2
    recover_parts(lake)
    forget(lake, "gone")
    assert traces(tmp_path, "gone") == []


def test_a_torn_line_in_the_list_does_not_lift_the_ban(tmp_path: Path):
    lake = make(tmp_path, ["a", "b"])
    forget(lake, "a")
    with (tmp_path / "forgotten.jsonl").open("ab") as file:
        file.write(b'{"sha256": "12')
    forget(lake, "b")
    assert lake.is_forgotten("a")
    assert lake.is_forgotten("b")
