"""A full disk loses nothing that is recorded, and says so on one line."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests._components import require
from tests.storage._tapes import DONE, TickingClock, header, record_steps
from worldtape.errors import StorageError
from worldtape.storage import TapeReader, TapeWriter, recover_tapes, validate


def more_space(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=2m", str(disk)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 256 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], check=False)
    require("a small file system", done.returncode == 0, "run the tests as root, where mount is allowed")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(tape: TapeWriter, clock: TickingClock) -> int:
    """Write until the disk is full; return how many bytes are on the tape."""
    written = 0
    while True:
        try:
            tape("pty", os.urandom(30_000), clock.mono_ns())
        except StorageError as error:
            assert "the disk is full" in str(error)  # noqa: PT017
            return written
        written += 30_000


def test_a_full_disk(small_disk: Path) -> None:
    clock = TickingClock()
    with TapeWriter.create(small_disk, header(), clock=clock) as first:
        record_steps(first, 3, clock)
        first.seal(DONE)
    with TapeWriter.create(small_disk, header(), clock=clock) as tape:
        written = fill(tape, clock)
        with pytest.raises(StorageError, match="the disk is full"):
            tape("pty", os.urandom(100_000), clock.mono_ns())
        found = validate(tape.path)
        assert (found.problems, found.torn_bytes, found.received["pty"]) == ([], 0, written)
        with pytest.raises(StorageError, match="the disk is full"):
            tape.seal(DONE)
        more_space(small_disk)
        tape.seal(DONE)
    assert validate(tape.path).problems == []
    assert validate(first.path).problems == []
    assert not list(small_disk.rglob("*.tmp"))


def test_a_full_disk_while_compressing(small_disk: Path) -> None:
    with TapeWriter.create(small_disk, header()) as tape:
        for _ in range(3):
            tape("pty", os.urandom(48_000), 0)
        with pytest.raises(StorageError, match="the disk is full"):
            tape.seal(DONE)
        assert validate(tape.path).ended
        assert [path.suffix for path in tape.path.parent.iterdir()] == [".jsonl"]
        more_space(small_disk)
        tape.seal(DONE)
    found = validate(tape.path)
    assert (found.problems, found.received["pty"]) == ([], 3 * 48_000)


def test_recovery_on_a_full_disk(small_disk: Path) -> None:
    clock = TickingClock()
    with TapeWriter.create(small_disk, header(), clock=clock) as tape:
        written = fill(tape, clock)
    with tape.path.open("ab") as file:
        file.write(b'{"torn')
    with (small_disk / "rest").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    before = tape.path.read_bytes()
    (problem,) = recover_tapes(small_disk).problems
    assert "the disk is full" in problem
    assert tape.path.read_bytes() == before
    assert [path.suffix for path in tape.path.parent.iterdir()] == [".jsonl"]
    more_space(small_disk)
    (repair,) = recover_tapes(small_disk).repaired
    assert repair.torn_bytes == 6
    assert validate(tape.path).received["pty"] == written
    assert [event.kind for event in TapeReader(tape.path).events()][-2:] == ["notice", "end"]
