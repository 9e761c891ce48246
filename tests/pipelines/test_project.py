"""Tapes become rows: all of them, the same ones, whoever runs it and however often."""

from __future__ import annotations

import hashlib
import shutil
import zlib
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from tests.pipelines.lakes import Written, action, captured, files, killed_in_the_middle
from tests.pipelines.tapes import recordings, write_tapes
from worldtape.errors import NotFoundError
from worldtape.pipelines.project import _prefix, project
from worldtape.schemas import EventKind
from worldtape.storage import Lake, part_id, query, recover_tapes, tape_path

TABLES = ("trajectories", "transitions")


def rows(lake: Path, table: str = "transitions") -> pl.DataFrame:
    opened = Lake.open(lake)
    return pl.concat([opened.read(part) for part in opened.parts(table)])


def only(lake: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Project a lake with one tape: its trajectory and its transitions."""
    report = project(lake, workers=0)
    assert report.set_aside == {}
    return rows(lake, "trajectories").row(0, named=True), list(rows(lake).iter_rows(named=True))


def test_made_tapes_render_as_they_say(tmp_path):
    ids = write_tapes(tmp_path, 50, steps=6)
    report = project(tmp_path, part_size=7, workers=0)
    assert (report.recordings, report.trajectories, report.interrupted, report.unknown) == (50, 50, 1, 1)
    assert (report.mismatched, report.live, report.set_aside, report.parts) == (0, [], {}, 8)
    assert report.transitions == 50 * 6 - 5 - 1
    assert rows(tmp_path, "trajectories")["trajectory_id"].sort().to_list() == sorted(ids)
    for part in Lake.open(tmp_path).parts("trajectories"):
        assert part.part_id == part_id(Lake.open(tmp_path).members(part))
    assert project(tmp_path, workers=0).projected == 0


@pytest.mark.slow
def test_bytes_do_not_depend_on_workers_and_both_work(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    write_tapes(one, 48, steps=3)
    shutil.copytree(one, two)
    project(one, part_size=3, workers=0)
    report = project(two, part_size=3, workers=2)
    assert (report.projected, len(report.workers)) == (16, 2)
    assert min(report.workers.values()) >= 0.3 * 16
    assert len(files(one, *TABLES, "notes")) == 3 * 16
    assert files(two, *TABLES, "notes") == files(one, *TABLES, "notes")


def test_deleted_tables_come_back_the_same(tmp_path):
    write_tapes(tmp_path, 20, steps=3)
    project(tmp_path, part_size=6, workers=0)
    write_tapes(tmp_path, 11, steps=3, first=20)
    assert project(tmp_path, part_size=6, workers=0).projected == 2
    before = files(tmp_path, *TABLES)
    for table in TABLES:
        shutil.rmtree(tmp_path / table)
    project(tmp_path, part_size=6, workers=0)
    assert files(tmp_path, *TABLES) == before


def test_without_notes_the_grouping_is_a_function_of_the_tapes(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    write_tapes(one, 9, steps=2)
    write_tapes(one, 9, steps=2, first=9)
    project(one, part_size=4, workers=0)
    write_tapes(other, 9, steps=2, first=9)
    write_tapes(other, 9, steps=2)
    project(other, part_size=4, workers=0)
    assert files(one, *TABLES) == files(other, *TABLES)


def test_parts_are_bounded_by_bytes(tmp_path):
    write_tapes(tmp_path, 6, steps=3, oddities=False)
    project(tmp_path, part_bytes=1, workers=0)
    assert len(Lake.open(tmp_path).parts()) == 6


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_a_killed_projection_goes_on(tmp_path, workers):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    write_tapes(whole, 20, steps=3)
    shutil.copytree(whole, killed)
    project(whole, part_size=2, workers=0)
    code = (
        "import sys\n"
        "from worldtape.pipelines.project import project\n"
        f"project(sys.argv[1], part_size=2, workers={workers}, progress=lambda *_: print(1, flush=True))\n"
    )
    killed_in_the_middle(code, str(killed), after=3)
    report = project(killed, part_size=2, workers=0)
    assert 0 < report.projected <= 7
    Lake.open(killed).recover()
    assert files(killed, *TABLES, "notes") == files(whole, *TABLES, "notes")


def test_a_row_says_what_the_tape_says(tmp_path):
    tape = Written(tmp_path, extra={"job": "j"}, future=1)
    tape.data("$ ")
    tape.ready(lossiness=["merged_streams"])
    tape.step(0, state_after={"cwd": "/a"}, reward=0.5, future={"x": 1})
    tape.tape.append(EventKind.FAULT, {"kind": "disk_full", "instruction": "The disk is full."})
    tape.tape.append(EventKind.THOUGHT, {"text": "SECRET"}, step=1)
    tape.step(1, output="", outcome={"status": "tool_error", "exit_code": 1, "exit_codes": [0, 1]})
    tape.tape.append(EventKind.FAULT, {"kind": None})
    tape.tape.append(EventKind.ACTION, action(future="f", wait_s=2.0), step=2)
    tape.tape.append(EventKind.NOTICE, {"code": "clock_step"}, step=2)
    tape.captured(2, shown="short")
    tape.tape.append(EventKind.RESULT, {"outcome": {"status": "ok"}, "snapshot": "s1"}, step=2)
    tape.seal()
    head, (first, second, third) = only(tmp_path)
    assert (head["initial_text"], head["initial_probes"], head["transitions"]) == ("$", '{"cwd":"/"}', 3)
    assert (head["backend"], head["end_status"], head["domain"]) == ("local", "completed", "terminal")
    assert orjson.loads(head["extra"]) == {"job": "j", "future": 1}
    assert (first["observation_text"], first["state_before"], first["state_after"]) == (
        "$ x",
        '{"cwd":"/"}',
        '{"cwd":"/a"}',
    )
    assert (first["reward"], first["extra"], first["lossiness"]) == (0.5, '{"future":{"x":1}}', ["merged_streams"])
    assert (second["state_before"], second["exit_codes"]) == ('{"cwd":"/a"}', [0, 1])
    assert orjson.loads(second["fault"])["kind"] == "disk_full"
    assert (first["fault"], third["fault"], third["state_before"]) == (None, None, None)
    assert (third["shown_text"], third["wait_s"], third["snapshot"]) == ("short", 2.0, "s1")
    assert (third["extra"], third["lossiness"]) == ('{"action.future":"f"}', ["clock_stepped", "merged_streams"])
    assert "SECRET" not in str([head, first, second, third])


def test_exactly_the_received_prefix_is_rendered(tmp_path):
    tape = Written(tmp_path)
    tape.data("a")
    tape.ready()
    tape.tape.append(EventKind.ACTION, action(), step=0)
    tape.tape("pty", b"bcd", 0)
    tape.tape("pty", b"e", 0)
    for step, text in enumerate(["ab", "abcd", "abc", "abcde"]):
        if step:
            tape.tape.append(EventKind.ACTION, action(), step=step)
        tape.tape.append(EventKind.CAPTURED, captured(text, {"pty": len(text)}), step=step)
        tape.tape.append(EventKind.RESULT, {"outcome": {"status": "ok"}}, step=step)
    tape.seal()
    _, steps = only(tmp_path)
    assert [row["observation_text"] for row in steps] == ["ab", "abcd", "abc", "abcde"]
    assert [row["lossiness"] for row in steps] == [[]] * 4


def test_memory_does_not_grow_with_what_is_printed_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(_prefix, "PENDING_BYTES", 1000)
    held: list[int] = []
    feed = _prefix.Prefix._feed

    def watched(self: _prefix.Prefix, limit: dict[str, int]) -> None:
        feed(self, limit)
        held.append(self._held)

    monkeypatch.setattr(_prefix.Prefix, "_feed", watched)
    tape = Written(tmp_path)
    tape.data("$ ")
    tape.ready()
    tape.screen = ""
    tape.tape.append(EventKind.ACTION, action(), step=0)
    for number in range(500):
        tape.tape("pty", b"%060d\r\n" % number, 0)
    shown = "\n".join(f"{number:060}" for number in range(461, 500))
    tape.tape.append(EventKind.CAPTURED, captured(shown, {"pty": 2 + 500 * 62}), step=0)
    tape.tape.append(EventKind.RESULT, {"outcome": {"status": "ok"}}, step=0)
    tape.seal()
    _, (row,) = only(tmp_path)
    assert row["observation_text"] == shown
    assert row["lossiness"] == []
    assert len(held) > 20
    assert max(held) <= 1000


def test_another_text_than_live_is_said(tmp_path):
    tape = Written(tmp_path)
    tape.data("$ ")
    tape.ready()
    tape.screen = "something else"
    tape.step(0)
    tape.seal()
    assert project(tmp_path, workers=0).mismatched == 1
    row = rows(tmp_path).row(0, named=True)
    assert (row["observation_text"], row["lossiness"]) == ("$ x", ["render_mismatch"])


def test_a_killed_recording_goes_as_far_as_it_goes(tmp_path):
    tape = Written(tmp_path)
    tape.data("$ ")
    tape.ready()
    tape.step(0)
    tape.tape.append(EventKind.ACTION, action("sleep 9"), step=1)
    tape.tape.close()
    with tape.tape.path.open("ab") as file:
        file.write(b'{"seq":7,"kind":"da')
    head, (_, last) = only(tmp_path)
    assert (head["end_status"], head["transitions"]) == ("interrupted", 2)
    assert (last["status"], last["observation_text"], last["exit_code"]) == ("unknown", None, None)
    assert last["lossiness"] == ["tail_missing"]


def test_a_tape_that_is_being_written_waits(tmp_path):
    write_tapes(tmp_path, 2, steps=2)
    tape = Written(tmp_path, "now")
    report = project(tmp_path, workers=0)
    assert (report.live, report.trajectories, report.recordings) == (["now"], 2, 3)
    tape.ready()
    tape.seal()
    after = project(tmp_path, workers=0)
    assert (after.live, after.trajectories, after.projected, after.parts) == ([], 3, 1, 2)


def test_a_recovered_tape_is_projected_again_in_its_place(tmp_path):
    write_tapes(tmp_path, 25, steps=3)
    project(tmp_path, part_size=5, workers=0)
    names = list(files(tmp_path, *TABLES))
    recover_tapes(tmp_path)
    assert project(tmp_path, part_size=5, workers=0).projected == 1
    assert list(files(tmp_path, *TABLES)) == names
    assert set(rows(tmp_path, "trajectories")["tape"].str.ends_with(".zst")) == {True}


def spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x55
    path.write_bytes(data)


def test_bad_tapes_are_set_aside_and_the_rest_goes_on(tmp_path):
    ids = write_tapes(tmp_path, 6, steps=4, oddities=False)
    spoil(tape_path(tmp_path, ids[2], sealed=True))
    made = next(recordings(1, first=7))
    new = b"".join(made.make()).replace(b'"schema_version":"1.0"', b'"schema_version":"9.0"')
    lines = []
    for line in new.splitlines(keepends=True):
        body = line[: line.rindex(b',"crc":"')]
        lines.append(b'%b,"crc":"%08x"}\n' % (body, zlib.crc32(body)))
    tape_path(tmp_path, made.id).parent.mkdir(parents=True, exist_ok=True)
    tape_path(tmp_path, made.id).write_bytes(b"".join(lines))
    twice = Written(tmp_path, "twice")
    twice.ready()
    twice.step(0)
    twice.step(0)
    twice.seal()
    for _ in range(2):
        report = project(tmp_path, workers=0)
        assert (report.trajectories, report.recordings) == (5, 8)
        assert set(report.set_aside) == {ids[2], made.id, "twice"}
    assert report.projected == 0
    assert "newer" in report.set_aside[made.id]
    assert "damaged" in report.set_aside[ids[2]]
    assert "step 0 stands on the tape twice" in report.set_aside["twice"]
    told = query(Lake.open(tmp_path), "SELECT count(*) FROM projection WHERE reason IS NOT NULL").column(0)[0].as_py()
    assert told >= 1


def test_a_part_without_a_readable_tape_is_not_written(tmp_path):
    for tape in write_tapes(tmp_path, 2, steps=4, oddities=False):
        spoil(tape_path(tmp_path, tape, sealed=True))
    for _ in range(2):
        report = project(tmp_path, workers=0)
        assert (report.projected, report.parts, report.workers, len(report.set_aside)) == (0, 0, {}, 2)
    write_tapes(tmp_path, 3, steps=4, oddities=False)
    report = project(tmp_path, workers=0)
    assert (report.projected, report.parts) == (1, 1)


def test_an_unknown_renderer_or_a_wrong_type_sets_one_tape_aside(tmp_path):
    odd = Written(tmp_path, "odd")
    odd.ready()
    odd.tape.append(EventKind.ACTION, action(), step=0)
    odd.captured(0, renderer={"name": "terminal.scren", "version": "1"})
    odd.seal()
    wrong = Written(tmp_path, "wrong")
    wrong.ready()
    wrong.step(0, outcome={"status": "ok", "exit_code": "one"})
    wrong.seal()
    good = Written(tmp_path, "good")
    good.ready()
    good.seal()
    report = project(tmp_path, workers=0)
    assert report.trajectories == 1
    assert "did you mean 'terminal.screen'" in report.set_aside["odd"]
    assert set(report.set_aside) == {"odd", "wrong"}


def test_a_failed_start_is_a_trajectory_too(tmp_path):
    tape = Written(tmp_path)
    tape.seal()
    head, steps = only(tmp_path)
    assert (head["initial_text"], head["transitions"], steps) == (None, 0, [])


def test_a_part_whose_tape_is_gone_stays(tmp_path):
    ids = write_tapes(tmp_path, 3, steps=2, oddities=False)
    project(tmp_path, workers=0)
    before = files(tmp_path, *TABLES)
    tape_path(tmp_path, ids[0], sealed=True).unlink()
    report = project(tmp_path, workers=0)
    assert (report.projected, report.trajectories) == (0, 3)
    assert files(tmp_path, *TABLES) == before


def test_a_lake_in_an_object_store(tmp_path):
    local = tmp_path / "lake"
    write_tapes(local, 4, steps=3)
    tape = Written(local, "blob")
    tape.ready()
    tape.step(0, output="y" * 70_000 + "\r\n" * 50 + "z")
    tape.seal()
    remote = Lake.open("memory://project-test", create=True)
    for path in (*local.glob("tapes/*/*"), *(p for p in local.glob("blobs/**/*") if p.is_file())):
        remote.store.write(str(path.relative_to(local)), path.read_bytes())
    assert project(remote, workers=0).trajectories == 5
    project(local, workers=0)
    mine = files(local, *TABLES)
    theirs = {p.name: hashlib.sha256(remote.store.read(p.name)).hexdigest() for t in TABLES for p in remote.parts(t)}
    assert theirs == mine


def test_no_lake(tmp_path):
    with pytest.raises(NotFoundError):
        project(tmp_path / "nothing", workers=0)
