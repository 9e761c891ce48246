"""One writer, whole lines, honest clocks, full disks."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.storage._tapes import DONE, TickingClock, header, record_steps
from worldtape.errors import ConfigError, InputError, LockedError, StorageError
from worldtape.storage import TapeReader, TapeWriter, tape_path, validate


def kinds(path: Path) -> list[str]:
    return [event.data.get("code", event.kind) for event in TapeReader(path).events()]


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond `size`: a write is cut short there, then fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("durability", ["none", "action", "event"])
def test_a_whole_recording(tmp_path: Path, durability: str) -> None:
    clock = TickingClock()
    with TapeWriter.create(tmp_path, header(), durability=durability, clock=clock) as tape:
        tape("pty.size", b'{"cols":160,"rows":40}', clock.mono_ns())
        record_steps(tape, 3, clock)
        tape("page", os.urandom(70_000), clock.mono_ns())
        tape.sync()
        open_path = tape.path
        tape.seal(DONE)
    assert not open_path.exists()
    assert tape.path == tape_path(tmp_path, tape.trajectory_id, sealed=True)
    found = validate(tape.path)
    assert (found.problems, found.steps, found.ended, found.unknown) == ([], 3, True, ())
    assert not list(tmp_path.rglob("*.tmp"))


def test_data_carries_the_step_it_was_read_in(tmp_path: Path) -> None:
    clock = TickingClock()
    with TapeWriter.create(tmp_path, header(), clock=clock) as tape:
        tape("pty", b"$ ", clock.mono_ns())
        record_steps(tape, 2, clock)
        tape("pty", b"late", clock.mono_ns())
    assert [event.step for event in TapeReader(tape.path).events() if event.kind == "data"] == [None, 0, 0, 1, 1, None]


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    asked = header()
    refusals: list[BaseException] = []

    def second() -> None:
        try:
            TapeWriter.create(tmp_path, asked)
        except LockedError as error:
            refusals.append(error)

    with TapeWriter.create(tmp_path, asked) as tape:
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        assert len(refusals) == 1
        assert kinds(tape.path) == ["header"]


def test_a_second_writer_in_another_process_is_refused(tmp_path: Path) -> None:
    asked = header()
    code = (
        "import sys; from worldtape.schemas import Header; from worldtape.storage import TapeWriter\n"
        "TapeWriter.create(sys.argv[1], Header.model_validate_json(sys.argv[2]))"
    )
    with TapeWriter.create(tmp_path, asked) as tape:
        command = [sys.executable, "-c", code, str(tmp_path), asked.model_dump_json()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "LockedError" in done.stderr
        assert kinds(tape.path) == ["header"]


def test_an_existing_tape_is_not_overwritten(tmp_path: Path) -> None:
    asked = header()
    with TapeWriter.create(tmp_path, asked) as tape:
        pass
    with pytest.raises(StorageError, match="exists already"):
        TapeWriter.create(tmp_path, asked)
    other = header()
    with TapeWriter.create(tmp_path, other) as tape:
        tape.seal(DONE)
    with pytest.raises(StorageError, match="exists already"):
        TapeWriter.create(tmp_path, other)
    assert validate(tape.path).problems == []
    assert not tape_path(tmp_path, other.trajectory_id).exists()


def test_many_threads_may_write(tmp_path: Path) -> None:
    def write(channel: str) -> None:
        for number in range(200):
            tape(channel, b"%d\n" % number, 0)

    with TapeWriter.create(tmp_path, header(), durability="none") as tape:
        threads = [threading.Thread(target=write, args=(f"c{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tape.seal(DONE)
    found = validate(tape.path)
    assert found.problems == []
    assert set(found.received.values()) == {sum(len(str(n)) + 1 for n in range(200))}


def test_a_clock_that_steps_back_is_noticed(tmp_path: Path) -> None:
    clock = TickingClock()
    with TapeWriter.create(tmp_path, header(), clock=clock) as tape:
        record_steps(tape, 2, clock)
        clock.wall -= 3_600_000_000
        record_steps(tape, 2, clock, first=2)
        tape("pty", b"read long ago", clock.mono - 10**9)
        tape.seal(DONE)
    events = list(TapeReader(tape.path).events())
    (notice,) = [event for event in events if event.data.get("code") == "clock_step"]
    assert notice.data["from"] - notice.data["to"] == pytest.approx(3_600_000_000, abs=1000)
    times = [event.mono_ns for event in events]
    assert times == sorted(times)
    assert validate(tape.path).problems == []


def test_a_write_cut_short_leaves_whole_lines(tmp_path: Path) -> None:
    clock = TickingClock()
    with TapeWriter.create(tmp_path, header(), clock=clock) as tape:
        record_steps(tape, 1, clock)
        whole = tape.path.stat().st_size
        with largest_file(whole + 100):
            for _ in range(2):
                with pytest.raises(StorageError):
                    tape("pty", b"x" * 5000, clock.mono_ns())
            with pytest.raises(StorageError):
                tape("page", b"x" * 70_000, clock.mono_ns())
            with pytest.raises(StorageError):
                tape.append("captured", {"received": {"pty": 10_011}}, step=None)
            assert tape.path.stat().st_size == whole
        assert validate(tape.path).problems == []
        tape("pty", b"space again", clock.mono_ns())
        tape.seal(DONE)
    *_, notice, _, _ = TapeReader(tape.path).events()
    assert notice.data["code"] == "write_failed"
    assert notice.data["events"] == {"data": 3, "captured": 1}
    assert notice.data["bytes"] == {"pty": 10_000, "page": 70_000}
    assert validate(tape.path).problems == []


def test_nothing_is_written_after_the_end(tmp_path: Path) -> None:
    tape = TapeWriter.create(tmp_path, header())
    tape.seal(DONE)
    tape.close()
    for late in (lambda: tape("pty", b"late", 0), lambda: tape.append("notice", {}), lambda: tape.seal(DONE)):
        with pytest.raises(StorageError, match="closed"):
            late()
    assert kinds(tape.path) == ["header", "end"]


def test_an_interrupt_in_the_middle_of_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole_write = os.write

    def interrupted(fd: int, data: bytes) -> int:
        whole_write(fd, data[: len(data) // 2])
        raise KeyboardInterrupt

    with TapeWriter.create(tmp_path, header()) as tape:
        with monkeypatch.context() as patch:
            patch.setattr("os.write", interrupted)
            with pytest.raises(KeyboardInterrupt):
                tape("pty", b"hello", 0)
        tape("pty", b"hello", 0)
        assert kinds(tape.path) == ["header", "data"]


def test_wrong_settings_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="none, action, event"):
        TapeWriter.create(tmp_path, header(), durability="always")
    for name in ("../../etc/passwd", "", ".hidden", "a/b", "x" * 200):
        with pytest.raises(InputError):
            TapeWriter.create(tmp_path, header().model_copy(update={"trajectory_id": name}))
    with pytest.raises(InputError, match="local folder"):
        TapeWriter.create("s3://bucket/lake", header())
