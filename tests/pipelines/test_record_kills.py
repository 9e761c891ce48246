"""A recorder may be stopped in order or killed at any moment: nothing that was recorded is lost."""

from __future__ import annotations

import hashlib
import json
import os
import random
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.collectors.terminal._needs import needs
from tests.pipelines._record import CLI, by_item, cli, end_of, tapes, write_suite
from worldtape.collectors.terminal.sandbox.local import leftovers
from worldtape.pipelines.project import project
from worldtape.storage import recover_tapes, validate

pytestmark = pytest.mark.sandbox
KILLS = 22
LIMIT_S = 60


@pytest.fixture
def job(tmp_path):
    needs("local")
    write_suite(tmp_path / "suite", 12, steps="ls, 'seq 300', 'sleep 0.1; cp a.txt b.txt', cat b.txt")
    path = tmp_path / "job.yaml"
    path.write_text("name: kills\nsuite: suite\nrepeats: 40\nconcurrency: 3\nworkers: 0\n")
    return path


def names(lake: Path, pattern: str = "*.jsonl*") -> set[str]:
    return {path.name for path in lake.glob(f"tapes/*/{pattern}")}


def begin(talk: Path, *args: object) -> subprocess.Popen[bytes]:
    """Start a recorder as the leader of its own process group; what it says on stderr goes to the file `talk`."""
    with talk.open("wb") as file:
        words = [*CLI, *map(str, args)]
        return subprocess.Popen(
            words,
            stdout=subprocess.DEVNULL,
            stderr=file,
            start_new_session=True,
            preexec_fn=_heed_interrupts,  # noqa: PLW1509 - no thread runs here
        )


def _heed_interrupts() -> None:
    """Take SIGINT as from a terminal; a job in the background of a script is born ignoring it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_until(seen, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not seen():
        assert process.poll() is None, "the recorder has ended"
        assert time.monotonic() < deadline
        select.select([], [], [], 0.01)


def children(pid: int) -> list[int]:
    """Return every process below `pid`."""
    try:
        direct = [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in _children(task)]
    except OSError:
        return []
    return direct + [below for child in direct for below in children(child)]


def _children(task: Path) -> list[str]:
    try:
        return (task / "children").read_text().split()
    except OSError:
        return []


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + LIMIT_S
    while any(map(alive, pids)) and time.monotonic() < deadline:
        select.select([], [], [], 0.01)
    return not any(map(alive, pids))


def digests(lake: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in lake.glob("tapes/*/*.jsonl.zst")}


@pytest.mark.slow
def test_killed_at_random_moments(job, tmp_path):
    lake, dice = tmp_path / "lake", random.Random(20)
    for round_ in range(KILLS):
        before, sealed = names(lake), digests(lake)
        workers = 2 if round_ % 7 == 6 else 0
        process = begin(tmp_path / "talk", "record", job, "--lake", lake, "--workers", workers)
        wait_until(lambda: names(lake) - before, process)  # noqa: B023
        select.select([], [], [], dice.uniform(0, 0.8))
        below = children(process.pid)
        process.kill()
        process.wait()
        assert gone(below), "a sandbox outlived its recorder"
        assert digests(lake).items() >= sealed.items(), "a sealed tape was changed"
    assert names(lake, "*.jsonl"), "no kill met an open tape"
    recover_tapes(lake)
    assert not names(lake, "*.jsonl")
    found = {tape.trajectory_id: validate(tape.path) for tape in tapes(lake)}
    assert [v.problems for v in found.values() if v.problems] == []
    assert all(len(v.unknown) <= 1 for v in found.values())
    rows = project(lake, workers=0)
    assert (rows.trajectories, rows.interrupted > 0, rows.mismatched) == (len(found), True, 0)
    for item in by_item(lake).values():
        whole = [tape for tape in item if end_of(tape)["status"] == "completed"]
        assert len(whole) <= 1, "recorded twice"
        assert {end_of(tape)["status"] for tape in item} <= {"completed", "interrupted"}


@pytest.mark.parametrize(("how", "workers"), [(signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGINT, 2)])
def test_stopped_in_order(job, tmp_path, how, workers):
    lake = tmp_path / "lake"
    process = begin(tmp_path / "talk", "record", job, "--lake", lake, "--workers", workers)
    wait_until(lambda: names(lake, "*.zst") and names(lake, "*.jsonl"), process)
    below = children(process.pid)
    os.killpg(process.pid, how) if how == signal.SIGINT else process.send_signal(how)
    assert process.wait(LIMIT_S) == 130
    assert "the same command goes on" in (tmp_path / "talk").read_text()
    assert gone(below)
    ours = {str(pid) for pid in (process.pid, *below)}
    assert [path for path in leftovers() if path.name.split("-")[1] in ours] == []
    assert all(not validate(tape.path).problems for tape in tapes(lake))
    ends = [end_of(tape).get("status") for tape in tapes(lake)]
    assert "failed" not in ends, [end_of(tape).get("reason") for tape in tapes(lake)]
    assert set(ends) <= {"completed", None}
    once = tmp_path / "once.yaml"
    once.write_text("name: kills\nsuite: suite\nworkers: 0\n")
    again = cli("record", once, "--lake", lake, "--json")
    assert again.returncode == 0, again.stderr
    report = json.loads(again.stdout)
    assert report["present"] + report["solved"] == report["items"] == 12
    whole = [tape for tape in tapes(lake)[: len(ends)] if end_of(tape)]
    assert report["present"] == sum(tape.header["extra"]["repeat"] == 0 for tape in whole)


def test_a_worker_that_dies_is_replaced(tmp_path, job):
    once, lake = tmp_path / "once.yaml", tmp_path / "lake"
    once.write_text("name: kills\nsuite: suite\nrepeats: 2\nconcurrency: 2\nretries: 2\n")
    process = begin(tmp_path / "talk", "record", once, "--lake", lake, "--workers", 2)
    wait_until(lambda: names(lake, "*.zst") and names(lake, "*.jsonl"), process)
    os.kill(next(pid for pid in children(process.pid) if b"spawn_main" in command(pid)), signal.SIGKILL)
    assert process.wait(LIMIT_S) == 0, (tmp_path / "talk").read_text()
    ends = [[end_of(tape).get("status") for tape in item] for item in by_item(lake).values()]
    assert [item.count("completed") for item in ends] == [1] * 24
    assert {status for item in ends for status in item} <= {"completed", None}


def command(pid: int) -> bytes:
    """Return the arguments of a process; nothing where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_keys_that_interrupt_work_where_the_recorder_ignores_interrupts(job, tmp_path):
    write_suite(
        tmp_path / "wait", 1, steps='[{keystrokes: "sleep 50\\n", duration: 0.3}, {keystrokes: C-c}], cp a.txt b.txt'
    )
    job.write_text("name: kills\nsuite: wait\nworkers: 0\nenvironment: {timeout_s: 5}\n")
    ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    assert json.loads(cli("record", job, "--lake", tmp_path / "lake", "--json", **ignoring).stdout)["solved"] == 1
