"""One bad tape is set aside with its reason, and the rest of the lake is projected."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

from tests.pipelines.lakes import Written
from tests.pipelines.tapes import write_tapes
from worldtape.errors import LockedError
from worldtape.pipelines.curate import curate
from worldtape.pipelines.project import _prefix, project
from worldtape.schemas import EventKind
from worldtape.storage import Event, Lake, tape_path, validate
from worldtape.storage.lake import alone, forget


def edited(path: Path, old: bytes, new: bytes) -> None:
    """Replace bytes of a sealed tape, and make its checksums fit again."""
    plain = zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
    assert old in plain
    lines = []
    for line in plain.replace(old, new).splitlines(keepends=True):
        body = line[: line.rindex(b',"crc":"')]
        lines.append(b'%b,"crc":"%08x"}\n' % (body, zlib.crc32(body)))
    path.write_bytes(zstandard.ZstdCompressor(write_checksum=True).compress(b"".join(lines)))


def domain(lake: Path) -> None:
    tape(lake)
    edited(tape_path(lake, "bad", sealed=True), b'"domain":"terminal"', b'"domain":"nonsense"')


def exit_code(lake: Path) -> None:
    tape(lake)
    edited(tape_path(lake, "bad", sealed=True), b'"exit_code":0', b'"exit_code":%d' % (1 << 70))


def depth(lake: Path) -> None:
    bad = tape(lake, sealed=False)
    bad.step(1, state_after="deep")
    bad.seal()
    edited(tape_path(lake, "bad", sealed=True), b'"deep"', b'{"x":' * 900 + b"1" + b"}" * 900)


def half_a_row(lake: Path) -> None:
    bad = tape(lake, sealed=False)
    bad.step(1, outcome="no object")
    bad.seal()


def bomb(lake: Path) -> None:
    bad = tape(lake, sealed=False)
    bad.step(1, output="y" * 70_000)
    bad.seal()
    (blob,) = (path for path in (lake / "blobs").rglob("*.zst"))
    blob.write_bytes(b"\x28\xb5\x2f\xfd\xe0" + (1 << 50).to_bytes(8, "little") + b"\x01\x00\x00")


def tape(lake: Path, *, sealed: bool = True) -> Written:
    written = Written(lake, "bad")
    written.ready()
    written.step(0)
    if sealed:
        written.seal()
    return written


@pytest.mark.parametrize("spoil", [domain, exit_code, depth, half_a_row, bomb])
def test_the_rest_goes_on(tmp_path: Path, spoil: Callable[[Path], None]):
    ids = write_tapes(tmp_path, 3, steps=2, oddities=False)
    spoil(tmp_path)
    tape_after = Written(tmp_path, "better")
    tape_after.ready()
    tape_after.step(0)
    tape_after.seal()
    report = project(tmp_path, workers=0)
    assert list(report.set_aside) == ["bad"]
    assert report.trajectories == 4
    lake = Lake.open(tmp_path)
    found = pl.concat([lake.read(part) for part in lake.parts()])
    assert found["trajectory_id"].to_list() == [ids[0]] * 2 + [ids[1]] * 2 + [ids[2]] * 2 + ["better"]


def test_a_copied_tape_is_not_projected_twice(tmp_path: Path):
    (one,) = write_tapes(tmp_path, 1, steps=2, oddities=False)
    original, copy = tape_path(tmp_path, one, sealed=True), tape_path(tmp_path, "copy", sealed=True)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(original, copy)
    for _ in range(2):
        report = project(tmp_path, workers=0)
        assert report.trajectories == 1
        assert f"its header says '{one}'" in report.set_aside["copy"]
    assert f"is of '{one}', but the file is named after 'copy'" in validate(copy).problems[0]
    assert validate(original).problems == []


def test_a_tape_that_became_another_one_is_set_aside(tmp_path: Path):
    one, two = write_tapes(tmp_path, 2, steps=2, oddities=False)
    project(tmp_path, workers=0)
    Written(tmp_path, "other").seal()
    shutil.copy(tape_path(tmp_path, "other", sealed=True), tape_path(tmp_path, two, sealed=True))
    report = project(tmp_path, workers=0)
    assert "another trajectory's" in report.set_aside[two]
    assert report.trajectories == 2
    lake = Lake.open(tmp_path)
    assert {i for part in lake.parts() for i in lake.members(part)} == {one, "other"}


def test_what_was_taken_down_does_not_come_back_under_another_name(tmp_path: Path):
    (one,) = write_tapes(tmp_path, 1, steps=2, oddities=False)
    data = tape_path(tmp_path, one, sealed=True).read_bytes()
    forget(Lake.open(tmp_path), one)
    for name in (one, "copy"):
        path = tape_path(tmp_path, name, sealed=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    report = project(tmp_path, workers=0)
    assert (report.trajectories, list(report.set_aside)) == (0, ["copy"])
    assert Lake.open(tmp_path).parts() == []


def test_overlapping_parts_are_cut(tmp_path: Path):
    """Two projections at once, as they were possible: [a3, a4], [a1, a2], [a4, a5]."""
    ids = write_tapes(tmp_path, 5, steps=2, oddities=False)
    lake = Lake.open(tmp_path)
    for group in ([2, 3], [0, 1], [3, 4]):
        alone_there = tmp_path.parent / f"{tmp_path.name}-{group[0]}"
        for number in group:
            path = tape_path(alone_there, ids[number], sealed=True)
            path.parent.mkdir(parents=True)
            shutil.copy(tape_path(tmp_path, ids[number], sealed=True), path)
        project(alone_there, workers=0)
        for table in ("trajectories", "transitions", "notes"):
            shutil.copytree(alone_there / table, tmp_path / table, dirs_exist_ok=True)
    assert len(lake.parts()) == 3
    report = project(tmp_path, workers=0)
    assert (report.trajectories, report.parts, report.projected) == (5, 3, 0)
    assert sorted(i for part in lake.parts() for i in lake.members(part)) == sorted(ids)
    assert curate(tmp_path, workers=0).funnel.line("projected").trajectories == 5


def test_two_at_once_do_not_plan_the_same(tmp_path: Path):
    write_tapes(tmp_path, 2, steps=2)
    with alone(Lake.open(tmp_path)):
        with pytest.raises(LockedError):
            project(tmp_path, workers=0)
        with pytest.raises(LockedError):
            project(tmp_path, workers=2)
    assert project(tmp_path, workers=0).trajectories == 2
    with alone(Lake.open(tmp_path)), pytest.raises(LockedError):
        curate(tmp_path, workers=0)


@pytest.mark.parametrize("others", [0, 2])
def test_a_blob_that_was_put_back_heals(tmp_path: Path, others: int):
    write_tapes(tmp_path, others, steps=2, oddities=False)
    written = tape(tmp_path, sealed=False)
    written.step(1, output="y" * 70_000)
    written.seal()
    (blob,) = (path for path in (tmp_path / "blobs").rglob("*.zst"))
    data = blob.read_bytes()
    blob.unlink()
    for number in range(3):
        if number == 2:
            blob.write_bytes(b"x")
        report = project(tmp_path, workers=0)
        assert list(report.set_aside) == ["bad"]
        assert (report.trajectories, report.projected) == (others, int(number == 0 and others > 0))
        assert ("is missing" if number < 2 else "damaged") in report.set_aside["bad"]
    blob.write_bytes(data)
    healed = project(tmp_path, workers=0)
    assert (healed.trajectories, healed.set_aside, healed.projected, healed.parts) == (others + 1, {}, 1, 1)
    assert project(tmp_path, workers=0).projected == 0


def test_bytes_that_nobody_claims_are_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_prefix, "PENDING_BYTES", 1000)
    held: list[int] = []
    take = _prefix.Prefix.data

    def watched(self: _prefix.Prefix, event: Event) -> None:
        take(self, event)
        held.append(self._held)

    monkeypatch.setattr(_prefix.Prefix, "data", watched)
    written = Written(tmp_path)
    written.ready()
    written.step(0)
    claimed = dict(written.received)
    for _ in range(200):
        written.tape("pty", b"%060d\r\n" % 0, 0)
    written.seal()
    assert project(tmp_path, workers=0).mismatched == 0
    assert claimed == {"pty": 3}
    assert max(held) <= 1000


def test_an_observation_far_behind_its_bytes_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_prefix, "PENDING_BYTES", 1000)
    written = Written(tmp_path)
    written.ready()
    parts = ["one\r\n", "two\r\n", "three\r\n" * 500]
    for text in parts:
        written.tape("pty", text.encode(), 0)
    for step, text in enumerate(parts):
        written.tape.append(EventKind.ACTION, {"kind": "keystrokes", "text": "x"}, step=step)
        written.received["pty"] = written.received.get("pty", 0) + len(text)
        written.screen = "\n".join((written.screen + text.replace("\r", "")).split("\n")[-40:])
        written.captured(step)
        written.tape.append(EventKind.RESULT, {"outcome": {"status": "ok"}}, step=step)
    written.seal()
    report = project(tmp_path, workers=0)
    assert (report.transitions, report.mismatched, report.set_aside) == (3, 0, {})
