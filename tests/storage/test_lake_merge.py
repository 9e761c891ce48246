"""Merging brings every blob that anybody has, and every take-down."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.storage import _lakes
from worldtape.storage import Lake, TapeReader, tape_path
from worldtape.storage.lake import compact, forget, merge


def one(root: Path, *ids: str) -> Lake:
    lake = Lake.open(root, create=True)
    for name in ids:
        _lakes.write(lake, [name])
        _lakes.tape(lake, name, blob=f"blob of {name}".encode())
    return lake


@pytest.mark.parametrize("first", ["half", "both", "into"])
def test_a_blob_comes_from_whoever_has_it(tmp_path: Path, first: str):
    whole, half = one(tmp_path / "whole", "a"), one(tmp_path / "half", "a")
    shutil.rmtree(tmp_path / "half" / "blobs")
    into = Lake.open(tmp_path / "into", create=True)
    if first == "both":
        assert merge(into, [half, whole]).missing == []
    else:
        done = merge(into, [half])
        (missing,) = done.missing
        assert missing.startswith(f"{tmp_path}/half/tapes/")
        assert (done.tapes, done.blobs) == (1, 0)
        assert merge(into, [whole]).blobs == 1
    reader = TapeReader(tape_path(tmp_path / "into", "a", sealed=True))
    assert [reader.payload(event) for event in reader.events() if event.kind == "data"][-1] == b"blob of a"


def test_a_digest_that_names_no_blob_is_not_missed(tmp_path: Path):
    source = one(tmp_path / "source", "a")
    _lakes.tape(source, f"b-{'x'}", blob=None)
    with_image = tmp_path / "source" / "tapes" / "00" / "c.jsonl.zst"
    with_image.parent.mkdir(exist_ok=True)
    import zstandard

    with_image.write_bytes(zstandard.compress(b'{"image_digest":"sha256:' + b"0" * 64 + b'"}\n'))
    assert merge(Lake.open(tmp_path / "into", create=True), [source]).missing == []


def test_a_take_down_travels(tmp_path: Path):
    source = one(tmp_path / "source", "gone", "new")
    forget(source, "gone", reason="asked for")
    third = one(tmp_path / "third", "gone")
    into = one(tmp_path / "into", "gone", "kept")
    compact(into)
    done = merge(into, [third, source])
    assert (done.forgotten, done.refused, done.trajectories) == (["gone"], 1, 1)
    assert _lakes.rows(into, "trajectories") == [("kept", 3), ("new", 3)]
    assert [tape.trajectory_id for tape in into.tapes()] == ["kept", "new"]
    assert into.is_forgotten("gone")
    assert b"asked for" in (tmp_path / "into" / "forgotten.jsonl").read_bytes()
    before = _lakes.files(tmp_path / "into")
    assert merge(into, [third, source]).forgotten == []
    assert _lakes.files(tmp_path / "into") == before
    onward = Lake.open(tmp_path / "onward", create=True)
    merge(onward, [into, third])
    assert [tape.trajectory_id for tape in onward.tapes()] == ["kept", "new"]


def test_what_was_taken_down_does_not_come_under_another_name(tmp_path: Path):
    into, source = one(tmp_path / "into", "gone"), one(tmp_path / "source", "gone")
    forget(into, "gone")
    copy = tape_path(tmp_path / "source", "copy", sealed=True)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(tape_path(tmp_path / "source", "gone", sealed=True), copy)
    done = merge(into, [source])
    assert (done.tapes, done.refused, done.blobs) == (0, 2, 0)
