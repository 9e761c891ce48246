"""Whatever kills a recorder, its tape can be read, and nothing sealed is touched."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from tests.storage._tapes import DONE, TickingClock, header, record_steps
from worldtape.errors import FormatError, NotFoundError
from worldtape.schemas import Header
from worldtape.storage import TapeReader, TapeWriter, recover, recover_tapes, tape_path, validate


def interrupted(lake: Path, steps: int = 3) -> Path:
    clock = TickingClock()
    with TapeWriter.create(lake, header(), durability="none", clock=clock) as tape:
        record_steps(tape, steps, clock)
    return tape.path


def sealed(path: Path) -> Path:
    return path.with_name(f"{path.name}.zst")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory where there is one: thousands of small files need no disk."""
    shm = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shm if shm.is_dir() else tmp_path) as folder:
        yield Path(folder)


def named(path: Path, lake: Path) -> Path:
    """Return a copy of a sealed tape that has the name of its trajectory."""
    copy = lake / "tapes" / "00" / f"{TapeReader(path).trajectory_id}.jsonl.zst"
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(path.read_bytes())
    return copy


@pytest.mark.slow
def test_recovery_at_every_byte(memory: Path) -> None:
    """A tape of 51 events is cut at each of its bytes; one lake holds all the cuts."""
    whole = interrupted(memory / "source", 10).read_bytes()
    assert whole.count(b"\n") == 51
    folder = memory / "lake" / "tapes" / "00"
    folder.mkdir(parents=True)
    for size in range(len(whole) + 1):
        (folder / f"cut-{size}.jsonl").write_bytes(whole[:size])
    report = recover_tapes(memory / "lake")
    assert report.problems == []
    assert len(report.repaired) == len(whole) + 1
    header_size = whole.index(b"\n") + 1
    for size in range(header_size, len(whole) + 1):
        good = whole[: size - len(whole[:size].rpartition(b"\n")[2])]
        path = folder / f"cut-{size}.jsonl.zst"
        kept = zstandard.decompress(path.read_bytes())
        assert kept.startswith(good)
        assert kept.count(b"\n") == good.count(b"\n") + 2
        if size - len(good) < 2:
            found = validate(named(path, memory / "named"))
            assert (found.problems, found.events, found.ended) == ([], good.count(b"\n") + 2, True)
            assert len(found.unknown) <= 1
        torn = folder / f"cut-{size}.torn"
        assert (torn.read_bytes() if torn.exists() else b"") == whole[len(good) : size]
    for size in range(header_size):
        assert not list(folder.glob(f"cut-{size}.jsonl*"))
        assert (folder / f"cut-{size}.torn").exists() == (size > 0)
    before = sorted((path, path.read_bytes()) for path in folder.iterdir())
    again = recover_tapes(memory / "lake")
    assert (again.repaired, again.problems, again.temporary) == ([], [], 0)
    assert sorted((path, path.read_bytes()) for path in folder.iterdir()) == before


def test_a_recovered_tape_says_so(tmp_path: Path) -> None:
    path = interrupted(tmp_path)
    with path.open("ab") as file:
        file.write(b'{"seq":16,"kind":"act')
    before = list(TapeReader(path).events())
    (repair,) = recover_tapes(tmp_path).repaired
    assert (repair.what, repair.events, repair.steps, repair.torn_bytes) == ("recovered", 16, 3, 21)
    assert "21 bytes moved to" in str(repair)
    *events, notice, end = TapeReader(sealed(path)).events()
    assert events == before
    assert (notice.kind, notice.data["code"], notice.data["torn_bytes"]) == ("notice", "recovered", 21)
    assert (end.data["status"], end.data["steps"]) == ("interrupted", 3)
    assert notice.mono_ns == end.mono_ns == events[-1].mono_ns


def test_a_recovery_that_was_itself_interrupted(tmp_path: Path) -> None:
    """The machine went down after the notice: the tape is not told twice, and both torn tails are kept."""
    with TapeWriter.create(tmp_path, header()) as tape:
        tape.append("notice", {"code": "recovered", "torn_bytes": 4})
    with tape.path.open("ab") as file:
        file.write(b'{"seq":2,"kind":"en')
    first = tape.path.with_suffix(".torn")
    first.write_bytes(b"torn")
    recover_tapes(tmp_path)
    assert [event.kind for event in TapeReader(tape.path).events()] == ["header", "notice", "end"]
    assert first.read_bytes() == b"torn"
    assert first.with_name(f"{first.name}.2").read_bytes() == b'{"seq":2,"kind":"en'


def test_an_open_action_stays_without_a_result(tmp_path: Path) -> None:
    with TapeWriter.create(tmp_path, header()) as tape:
        tape.append("action", {"kind": "keystrokes", "text": "x"}, step=0)
    recover_tapes(tmp_path)
    found = validate(tape.path)
    assert (found.problems, found.steps, found.unknown) == ([], 1, (0,))


def test_a_live_writer_is_left_alone(tmp_path: Path) -> None:
    clock = TickingClock()
    with TapeWriter.create(tmp_path, header(), clock=clock) as tape:
        record_steps(tape, 1, clock)
        report = recover_tapes(tmp_path)
        assert (report.locked, report.repaired) == (1, [])
        record_steps(tape, 1, clock, first=1)
        tape.seal(DONE)
    assert validate(tape.path).problems == []


def test_a_crash_between_any_two_steps_of_sealing(tmp_path: Path) -> None:
    """The four states that sealing passes through, and one that only a power cut makes."""
    clock = TickingClock()
    with TapeWriter.create(tmp_path / "made", header("tape"), clock=clock) as tape:
        record_steps(tape, 2, clock)
        shutil.copy(tape.path, tmp_path / "without-end")
        tape.append("end", DONE.to_dict())
        shutil.copy(tape.path, tmp_path / "with-end")
    recover_tapes(tmp_path / "made")
    compressed = tape_path(tmp_path / "made", "tape", sealed=True).read_bytes()
    plain = (tmp_path / "with-end").read_bytes()
    states: dict[str, dict[str, bytes]] = {
        "ended": {"tape.jsonl": plain},
        "compressing": {"tape.jsonl": plain, "tape.jsonl.zst.tmp": compressed[:100]},
        "renamed": {"tape.jsonl": plain, "tape.jsonl.zst": compressed},
        "power cut": {"tape.jsonl": plain, "tape.jsonl.zst": compressed[:-9]},
        "done": {"tape.jsonl.zst": compressed},
    }
    for name, files in states.items():
        folder = tape_path(tmp_path / name, "tape").parent
        folder.mkdir(parents=True)
        for file, data in files.items():
            (folder / file).write_bytes(data)
        assert recover_tapes(tmp_path / name).problems == []
        left = {path.name for path in folder.iterdir()}
        assert left - {"tape.jsonl.zst.damaged"} == {"tape.jsonl.zst"}, name
        assert ("tape.jsonl.zst.damaged" in left) == (name == "power cut")
        events = list(TapeReader(folder / "tape.jsonl.zst").events())
        assert [event.kind for event in events].count("end") == 1
        assert len(events) == plain.count(b"\n")


def test_leftovers_of_the_dead_are_removed(tmp_path: Path) -> None:
    folder = tape_path(tmp_path, "gone").parent
    folder.mkdir(parents=True)
    (folder / "gone.jsonl.zst.tmp").write_bytes(b"half")
    assert recover_tapes(tmp_path).temporary == 1
    assert list(folder.iterdir()) == []


def test_damage_in_the_middle_keeps_what_stands_before(tmp_path: Path) -> None:
    path = interrupted(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[7] = lines[7].replace(b"kind", b"kinb")
    path.write_bytes(b"".join(lines))
    with pytest.raises(FormatError, match=r"\.jsonl:8"):
        list(TapeReader(path).events())
    (repair,) = recover_tapes(tmp_path).repaired
    assert repair.damaged
    assert repair.torn_bytes == sum(map(len, lines[7:]))
    assert path.with_name(f"{repair.trajectory_id}.torn").read_bytes() == b"".join(lines[7:])
    assert validate(path).problems == []


def test_a_blob_that_never_reached_the_disk(tmp_path: Path) -> None:
    with TapeWriter.create(tmp_path, header(), durability="none") as tape:
        tape("page", b"x" * 70_000, 0)
        tape("page", os.urandom(70_000), 0)
        tape("pty", b"after", 0)
    *_, second, _ = TapeReader(tape.path).events()
    (tmp_path / "blobs" / "sha256" / second.data["blob"][7:9] / second.data["blob"][7:]).write_bytes(b"")
    (repair,) = recover_tapes(tmp_path).repaired
    assert (repair.what, repair.events, repair.damaged) == ("recovered", 2, True)
    found = validate(tape.path)
    assert (found.problems, found.received) == ([], {"page": 70_000})


def test_a_newer_tape_is_left_alone(tmp_path: Path) -> None:
    with TapeWriter.create(tmp_path, Header(**header().to_dict() | {"schema_version": "2.0"})) as tape:
        pass
    report = recover_tapes(tmp_path)
    assert report.repaired == []
    assert "newer than" in report.problems[0]
    assert tape.path.exists()


def test_no_lake_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        recover_tapes(tmp_path / "nowhere")


WRITER = """
import os, sys
from tests.storage._tapes import DONE, TickingClock, header, record_steps
from worldtape.storage import TapeWriter
clock = TickingClock()
while True:
    with TapeWriter.create(sys.argv[1], header(), clock=clock) as tape:
        for step in range(200):
            record_steps(tape, 1, clock, first=step)
            tape("page", os.urandom(70_000), clock.mono_ns())
            os.write(1, b"%s %d\\n" % (tape.trajectory_id.encode(), step))
        tape.seal(DONE)
"""


@pytest.mark.parametrize("seed", range(6))
def test_kill_9(tmp_path: Path, seed: int) -> None:
    """Every step that the writer told us of is there after the kill."""
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) as writer:
        assert writer.stdout is not None
        told = [writer.stdout.readline() for _ in range(random.Random(seed).randint(1, 450))]
        writer.kill()
        told += writer.stdout.readlines()
    report = recover(str(tmp_path)).tapes
    assert report.problems == []
    assert len(report.repaired) <= 1
    steps: dict[str, int] = {}
    for line in told:
        trajectory_id, step = line.decode().split()
        steps[trajectory_id] = int(step) + 1
    for trajectory_id, done in steps.items():
        found = validate(tape_path(tmp_path, trajectory_id, sealed=True))
        assert found.problems == []
        assert done <= found.steps <= done + 1
    assert not list(tmp_path.rglob("*.jsonl"))
    assert not list(tmp_path.rglob("*.tmp"))


def test_the_command_fails_where_a_tape_cannot_be_repaired(tmp_path: Path) -> None:
    with TapeWriter.create(tmp_path, Header(**header().to_dict() | {"schema_version": "2.0"})):
        pass
    command = [sys.executable, "-m", "worldtape", "recover", str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert "install a newer worldtape" in told.stderr


def test_the_command(tmp_path: Path) -> None:
    path = interrupted(tmp_path)
    command = [sys.executable, "-m", "worldtape", "recover", str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert path.name.removesuffix(".jsonl") in told.stdout
    assert "1 tapes repaired" in told.stderr
    told = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(told.stdout)["tapes"] == {
        "sealed": 1,
        "locked": 0,
        "temporary": 0,
        "repaired": [],
        "problems": [],
    }
