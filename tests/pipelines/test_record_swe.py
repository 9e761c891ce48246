"""Jobs in repositories: solutions are played and judged, and a killed recorder leaves nothing running."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.swe.conftest import swe_image, swe_packages
from tests.pipelines._record import job, tapes
from worldtape.collectors.swe import SweConfig
from worldtape.collectors.tasks import TaskFile
from worldtape.collectors.terminal.sandbox.docker import connect, leftovers
from worldtape.errors import ConfigError
from worldtape.pipelines.project import project
from worldtape.pipelines.record import record
from worldtape.pipelines.record.swe import SweKind
from worldtape.schemas import EventKind
from worldtape.storage import query, recover_tapes

__all__ = ["swe_image", "swe_packages"]
pytestmark = pytest.mark.docker
LIMIT_S = 60
TASK = """
id: t/{name}
instruction: Make humanize keep dashes.
start: {{package: inflection}}
setup:
  files: {{NOTES.md: "first\\n"}}
solution:
  - name: edit
    arguments: {{file_path: /workspace/NOTES.md, old_string: first, new_string: {word}}}
  - name: run_shell_command
    arguments: {{command: python3 -m pytest -q -k humanize}}
verifier: {verifier}
"""
VERIFIERS = {
    "mapping": "{dirty: [NOTES.md], tests.counts.passed: 455}",
    "command": "grep -q second NOTES.md",
    "unable": "no-such-program",
}


def test_solutions_are_played_and_judged(swe_packages: tuple[str, ...], tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    for word in ("second", "third"):
        for how, verifier in VERIFIERS.items():
            if how != "unable" or word == "second":
                text = TASK.format(name=f"{how}-{word}", word=word, verifier=verifier)
                (suite / f"t-{how}-{word}.yaml").write_text(text)
    report = record(job(suite, environment={"kind": "swe"}), tmp_path / "lake")
    assert (report.recorded["completed"], report.judged, report.solved, report.steps) == (5, 4, 3, 10)
    lake = tmp_path / "lake"
    assert project(lake, workers=0).mismatched == 0
    found = query(lake, "SELECT state_after->>'changed' AS changed, status FROM transitions WHERE step = 0").to_pylist()
    assert {(row["changed"], row["status"]) for row in found} == {("true", "ok")}
    for tape in tapes(lake):
        events = list(tape.events())
        (verdict,) = [event.data for event in events if event.data.get("code") == "verifier"]
        assert verdict["exit_code"] in {0, 1, 127} if "exit_code" in verdict else verdict["unmet"] == []
        assert next(event for event in events if event.kind == EventKind.READY).data["environment"]["tools"]


@pytest.mark.parametrize("step", ["git status", {"jump": 3}, {"name": "", "arguments": {}}])
def test_what_is_no_call_is_named(step: Any) -> None:
    with pytest.raises(ConfigError, match="task a: a step of the solution is no call"):
        SweKind.player(TaskFile(id="a", instruction="x", solution=(step,)))


def test_files_and_commands_of_a_task_come_after_those_of_the_job() -> None:
    config = SweConfig(package="toolz", setup={"files": {"a": "1", "b": "1"}, "commands": ["one"]})
    setup = {"files": {"b": "2"}, "commands": ("two",)}
    made = SweKind().make(config, TaskFile(id="a", instruction="x", setup=setup, start={"family": "claude"}))
    assert made.config.setup.files == {"a": "1", "b": "2"}
    assert made.config.setup.commands == ("one", "two")
    assert made.config.family == "claude"


PLAY = """
import asyncio, sys
from worldtape.collectors.swe import Swe, SweConfig
from worldtape.pipelines.record import open_recorder

async def main():
    environment = Swe(SweConfig(package="inflection"))
    async with open_recorder(environment, sys.argv[1]) as recorder:
        print(environment.box._container._container, flush=True)
        for number in range(1_000_000):
            await recorder.step({"name": "run_shell_command", "arguments": {"command": f"echo {number} >>log"}})

asyncio.run(main())
"""


def test_a_killed_recorder_leaves_a_tape_and_no_container(swe_packages: tuple[str, ...], tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    client = connect()
    try:
        recorder = subprocess.Popen([sys.executable, "-c", PLAY, str(lake)], stdout=subprocess.PIPE)
        assert recorder.stdout is not None
        with recorder.stdout:
            name = recorder.stdout.readline().decode().strip()
        until(lambda: any(path.read_bytes().count(b'"kind":"result"') > 2 for path in lake.glob("tapes/*/*.jsonl")))
        os.kill(recorder.pid, signal.SIGKILL)
        recorder.wait()
        until(lambda: name not in {one["Id"] for one in client.containers(all=True)})
        assert name not in {one["Id"] for one in leftovers(client)}
    finally:
        client.close()
    recover_tapes(lake)
    report = project(lake, workers=0)
    assert (report.trajectories, report.interrupted, report.mismatched) == (1, 1, 0)
    rows = query(lake, "SELECT status, state_after->'tree' AS tree FROM transitions ORDER BY step").to_pylist()
    assert {row["status"] for row in rows} <= {"ok", "unknown"}
    assert len({row["tree"] for row in rows if row["status"] == "ok"}) == sum(row["status"] == "ok" for row in rows)


def until(seen: Any) -> None:
    """Wait for something that comes."""
    deadline = time.monotonic() + LIMIT_S
    while not seen():
        assert time.monotonic() < deadline
        select.select([], [], [], 0.01)


def test_a_repository_that_cannot_be_looked_at_has_no_verdict(tmp_path: Path) -> None:
    environment = SweKind().make(SweConfig(package="toolz"), TaskFile(id="a", instruction="x"))
    task = TaskFile(id="a", instruction="x", verifier={"dirty": []})
    verdict = asyncio.run(SweKind().verify(environment, task, timeout_s=5))
    assert verdict.reward is None
    assert "not running" in verdict.seen["error"] or "gone" in verdict.seen["error"]
