"""Repositories recorded, and what a projection makes of their tapes."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.mcp._run import in_loop
from worldtape.collectors.swe import Swe, SweConfig
from worldtape.collectors.swe.tools import declared
from worldtape.collectors.tasks import Setup
from worldtape.collectors.terminal.sandbox.docker import connect
from worldtape.errors import InputError
from worldtape.pipelines.project import project
from worldtape.pipelines.record import open_recorder
from worldtape.schemas import Action, EndStatus, Observation, Status
from worldtape.storage import query

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("swe_packages")]
SHELL = "run_shell_command"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Return a call."""
    return {"name": name, "arguments": arguments}


def rows(lake: Path, columns: str = "*") -> list[dict[str, Any]]:
    """Project a lake, in which everything must render as it did live; return its transitions."""
    report = project(lake, workers=0)
    assert not report.set_aside
    assert not report.mismatched
    found: list[dict[str, Any]] = query(lake, f"SELECT {columns} FROM transitions ORDER BY step").to_pylist()
    return found


def tiny(tmp_path: Path, **files: str) -> str:
    """Return a folder with a test of its own."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    own = {"calc.py": "def add(a, b):\n    return a + b\n", "test_calc.py": TEST}
    for name, text in (own | files).items():
        (folder / name).write_text(text)
    return str(folder)


TEST = """from calc import add


def test_add():
    assert add(1, 2) == 3


def test_text():
    assert add('a', 'b') == 'ab'
"""


@in_loop
async def test_a_repair_is_seen_in_every_state(tmp_path: Path) -> None:
    config = SweConfig(repository=tiny(tmp_path), test_command="python3 -m pytest -q -rA --tb=no")
    lake = tmp_path / "lake"
    async with open_recorder(Swe(config), lake) as recorder:
        ready = recorder.history.ready
        assert ready.observation.text == ""
        assert ready.environment.tools == declared("cli")
        assert ready.environment.image_digest is not None
        assert ready.environment.image_digest.startswith("sha256:")
        assert ready.initial_state.text is not None
        assert "Tests: python3 -m pytest -q -rA --tb=no" in ready.initial_state.text
        assert "  calc.py\n" in ready.initial_state.text
        break_it = call("edit", file_path="/workspace/calc.py", old_string="a + b", new_string="a - b")
        test_it = call(SHELL, command="python3 -m pytest -q -rA --tb=no")
        mend_it = call("edit", file_path="/workspace/calc.py", old_string="a - b", new_string="a + b")
        states = []
        for step in (break_it, test_it, mend_it, test_it, call("read_file", absolute_path="/workspace/calc.py")):
            await recorder.step(step)
            assert recorder.last.state_after is not None
            states.append(recorder.last.state_after)
        broken, failed, mended, passed, read = states
        assert [state["changed"] for state in states] == [True, False, True, False, False]
        assert (broken["dirty"], broken["untracked"], mended["dirty"]) == (["calc.py"], [], [])
        assert (broken["tests"], read["tests"]) == (None, None)
        assert (read["cwd"], read["todos"]) == ("/workspace", [])
        assert failed["tests"]["failed"] == ["test_calc.py::test_add", "test_calc.py::test_text"]
        assert failed["tests"]["framework"] == "pytest"
        assert passed["tests"]["passed"] == ["test_calc.py::test_add", "test_calc.py::test_text"]
        assert mended["tree"] == ready.initial_state.probes["tree"] if ready.initial_state.probes else None
        assert recorder.history.turns[1][1].outcome.status is Status.TOOL_ERROR
        assert recorder.history.turns[1][1].outcome.exit_code == 1
    found = rows(lake)
    assert [row["status"] for row in found] == ["ok", "tool_error", "ok", "ok", "ok"]
    assert "return a + b" in found[4]["observation_text"]
    (part,) = found[0]["parts"]
    assert part["channel"] == "git.diff"
    assert "-    return a + b\n+    return a - b\n" in part["text"]
    assert json.loads(found[0]["state_after"])["diff"] == "sha256:" + hashlib.sha256(part["text"].encode()).hexdigest()
    assert not found[2]["parts"]


@in_loop
async def test_what_is_no_call_is_rejected_in_the_tools_own_words(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    async with open_recorder(Swe(SweConfig(repository=tiny(tmp_path), family="claude")), lake) as recorder:
        for given in ("ls -la", call("NoSuchTool"), '{"name": "Read", "arguments": [1]}', call("Read")):
            seen: Observation = await recorder.step(given)
            assert recorder.last.outcome.status is Status.REJECTED
            assert seen.text
        await recorder.step(Action(kind="keystrokes", text="ls\n"))
        assert recorder.last.outcome.error is not None
        assert recorder.last.outcome.error.message == "a repository takes no keystrokes; use tool_call"
        assert recorder.last.state_after is not None
        assert recorder.last.state_after["changed"] is False
    assert {row["status"] for row in rows(lake)} == {"rejected"}


@in_loop
async def test_a_snapshot_of_the_start_is_there_to_go_back_to(tmp_path: Path) -> None:
    environment = Swe(SweConfig(repository=tiny(tmp_path)))
    async with open_recorder(environment, tmp_path / "lake") as recorder:
        probes = recorder.history.ready.initial_state.probes
        assert probes is not None
        await recorder.step(call(SHELL, command="rm calc.py; git commit -qam gone; echo x >y"))
        assert recorder.last.state_after is not None
        assert recorder.last.state_after["head"] != probes["head"]
        await environment.restore(probes["snapshot"])
        assert await environment.probe() == {key: value for key, value in probes.items() if key != "snapshot"}
        await recorder.step(call("list_directory", path="/workspace"))
        assert recorder.last.state_after["changed"] is False


@in_loop
async def test_no_command_outlives_the_recordings_time(tmp_path: Path) -> None:
    class Sleeper:
        spec = None

        async def next(self, history: Any) -> Action | None:
            return environment.parse(call(SHELL, command="sleep 600"))

    environment = Swe(SweConfig(repository=tiny(tmp_path)))
    async with open_recorder(environment, tmp_path / "lake") as recorder:
        end = await recorder.run(Sleeper(), max_seconds=1.0)  # type: ignore[arg-type]
        assert end.status is EndStatus.LIMIT
        assert recorder.last.outcome.status is Status.TIMEOUT_KILLED


@in_loop
async def test_somebody_who_is_not_root_owns_the_repository(tmp_path: Path) -> None:
    config = SweConfig(repository=tiny(tmp_path), user="1234:1234", workdir="/srv/code")
    async with open_recorder(Swe(config), tmp_path / "lake") as recorder:
        seen = await recorder.step(call(SHELL, command="id -u; pwd; touch new && git add new && git commit -qm new"))
        assert "1234\n/srv/code\n" in seen.text
        assert recorder.last.outcome.status is Status.OK
        assert recorder.last.state_after is not None
        assert recorder.last.state_after["changed"] is True


@in_loop
async def test_a_start_that_fails_is_a_sealed_tape_and_leaves_no_container(tmp_path: Path) -> None:
    setup = Setup(commands=("echo no such step >&2; exit 4",))
    lake = tmp_path / "lake"
    with pytest.raises(InputError, match="set-up failed with 4: no such step"):
        async with open_recorder(Swe(SweConfig(repository=tiny(tmp_path), setup=setup)), lake):
            raise AssertionError
    project(lake, workers=0)
    (row,) = query(lake, "SELECT end_status, end_reason FROM trajectories").to_pylist()
    assert row["end_status"] == "failed"
    assert "set-up failed with 4" in row["end_reason"]


@in_loop
async def test_a_container_that_is_killed_mid_action_ends_the_recording(tmp_path: Path) -> None:
    environment = Swe(SweConfig(repository=tiny(tmp_path)))
    lake = tmp_path / "lake"
    client = connect()
    try:
        async with open_recorder(environment, lake) as recorder:
            name = str(environment.box._container._container)
            await recorder.step(call(SHELL, command="mkfifo /tmp/up"))
            step = asyncio.create_task(recorder.step(call(SHELL, command="echo up >/tmp/up; sleep 1000")))
            waits = client.exec_create(name, ["cat", "/tmp/up"])["Id"]
            await asyncio.to_thread(client.exec_start, waits)
            await asyncio.to_thread(client.kill, name)
            await step
            assert recorder.last.outcome.status is Status.INFRA_ERROR
            assert recorder.last.outcome.error is not None
            assert recorder.last.outcome.error.type == "container_gone"
            assert recorder.last.state_after is None
            assert recorder.last.done
        assert recorder.end is not None
        assert recorder.end.status is EndStatus.FAILED
        assert not [one for one in client.containers(all=True) if one["Id"] == name]
    finally:
        client.close()
    assert [row["status"] for row in rows(lake)] == ["ok", "infra_error"]


@pytest.mark.parametrize(("package", "count"), [("inflection", 455), ("tabulate", 174), ("toolz", 180)])
@in_loop
async def test_the_tests_of_three_real_packages_pass(tmp_path: Path, package: str, count: int) -> None:
    environment = Swe(SweConfig(package=package))
    async with environment:
        ready = await environment.reset(lambda channel, data, mono_ns: None)
        assert ready.initial_state.probes is not None
        assert ready.initial_state.probes["dirty"] == []
        assert ready.environment.parameters["source"]["title"].startswith(package)
        facts = await environment.facts(tests=True)
        assert facts["tests"]["counts"]["passed"] == count
        assert facts["tests"]["ended"] == "finished"
        assert (facts["untracked"], facts["dirty"], facts["tree"]) == ([], [], ready.initial_state.probes["tree"])
