"""SWE-agent's `.traj` files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.swe_agent import SweAgent
from worldtape.errors import FormatError, InputError
from worldtape.schemas import EndStatus, Imported, ImportedStep, Lossiness, Orphan, Status

from ._files import Bytes
from ._fuzz import fuzz


def step(action: str, observation: str | None, state: Any, **more: Any) -> dict[str, Any]:
    said = {"response": f"I do {action}", "thought": f"think {action}"}
    return {"action": action, "observation": observation, "state": state, **said, **more}


def turn(action: str, name: str | None = None, **arguments: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "", "agent": "main", "action": action}
    if name:
        message["tool_calls"] = [{"id": name, "function": {"name": name, "arguments": json.dumps(arguments)}}]
    return message


HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "You are …", "agent": "main"},
    {"role": "user", "content": "A demonstration.", "agent": "main", "is_demo": True},
    {"role": "assistant", "content": "", "agent": "main", "action": "ls", "is_demo": True},
    {"role": "user", "content": [{"type": "text", "text": "Fix it."}], "agent": "main"},
    turn("ls"),
    turn("open a.py", "open", path="a.py"),
    turn("submit", "submit"),
]
NEW = {
    "environment": "task-1",
    "trajectory": [
        step(
            "ls", "a.py\r\n", {"working_dir": "/repo"}, execution_time=0.25, query=[{"content": "leak of the prompt"}]
        ),
        step(
            "open a.py", "[File: a.py]", {"working_dir": "/repo", "open_file": "a.py"}, messages=["leak of the prompt"]
        ),
        step("submit", "diff --git", {"working_dir": "/repo"}),
    ],
    "history": HISTORY,
    "info": {"exit_status": "submitted", "submission": "diff --git"},
    "replay_config": json.dumps({"env": {"deployment": {"type": "docker", "image": "python:3.11"}}}),
}
OLD = {
    "environment": "swe_main",
    "trajectory": [
        step("ls\n", "a.py\n", '{"open_file": "n/a"}\n'),
        step("open a.py\n", "[File: a.py]", '{"open_file": "n/a"}\n'),
        step("submit\n", "diff --git", '{"open_file": "a.py"}\n'),
    ],
    "history": HISTORY,
    "info": {"exit_status": "submitted"},
}


def read(data: Any) -> Imported:
    (found,) = SweAgent().read(Bytes(data))
    assert isinstance(found, Imported)
    return found


def steps(data: Any) -> list[ImportedStep]:
    return [item for item in read(data).steps if isinstance(item, ImportedStep)]


def test_transitions_come_from_the_trajectory_and_calls_from_the_history() -> None:
    made = steps(NEW)
    assert [item.observation for item in made] == ["a.py\r\n", "[File: a.py]", "diff --git"]
    assert [item.action.name for item in made] == ["bash", "open", "submit"]
    assert made[1].action.raw == "open a.py"
    assert made[0].action.arguments == '{"command":"ls"}'
    assert made[0].timing.duration_ms == 250


def test_since_1_0_the_state_is_the_one_after_the_action() -> None:
    assert [item.state_after for item in steps(NEW)] == [
        {"working_dir": "/repo"},
        {"working_dir": "/repo", "open_file": "a.py"},
        {"working_dir": "/repo"},
    ]


def test_before_1_0_the_state_is_the_one_before_the_action() -> None:
    found = read(OLD)
    made = steps(OLD)
    assert found.initial_state.probes == {"open_file": "n/a"}
    assert Lossiness.NO_INITIAL_STATE not in found.lossiness
    assert [item.state_after for item in made] == [{"open_file": "n/a"}, {"open_file": "a.py"}, None]
    assert Lossiness.NO_PROBES in made[2].lossiness


def test_the_repeated_prompt_is_never_kept() -> None:
    found = read(NEW)
    assert "leak of the prompt" not in repr((found.extra, list(found.steps)))


def test_demonstrations_are_no_steps_and_no_task() -> None:
    found = read(NEW)
    assert found.task is not None
    assert found.task.instruction == "Fix it."
    assert [item.code for item in found.steps if isinstance(item, Orphan)] == ["demonstration"]


def test_a_file_of_demonstrations_is_refused() -> None:
    data = {"history": HISTORY}
    assert SweAgent().sniff(Bytes(data))
    with pytest.raises(InputError, match="demonstration"):
        list(SweAgent().read(Bytes(data)))


def test_an_empty_trajectory_is_refused() -> None:
    with pytest.raises(InputError, match="no steps"):
        list(SweAgent().read(Bytes(NEW | {"trajectory": []})))
    with pytest.raises(FormatError):
        list(SweAgent().read(Bytes([])))


def test_a_reply_without_an_action_is_no_transition() -> None:
    data = NEW | {"trajectory": [step("", "Exit due to cost limit", {}), step("ls", None, {})]}
    data["info"] = {"exit_status": "exit_cost"}
    (made,) = steps(data)
    assert made.outcome.status is Status.UNKNOWN
    assert Lossiness.TAIL_MISSING in made.lossiness
    assert read(data).end.status is EndStatus.LIMIT


def test_the_environment_is_the_configs() -> None:
    found = read(NEW)
    assert (found.environment.backend, found.environment.image) == ("docker", "python:3.11")
    assert Lossiness.NO_ENV_IMAGE in read(OLD).lossiness


def test_other_files_are_not_claimed() -> None:
    others: list[Any] = [
        {"trajectory": [{"action": "x"}]},
        {"history": [{"role": "user", "content": ""}]},
        [],
        {"messages": []},
    ]
    for data in others:
        assert not SweAgent().sniff(Bytes(data))


def test_a_large_file_is_known_by_its_beginning() -> None:
    data = {"trajectory": [step("ls", "x" * 200_000, {}), step("pwd", "/", {})], "history": HISTORY}
    assert SweAgent().sniff(Bytes(data))


def test_broken_files() -> None:
    fuzz(SweAgent(), NEW)
    fuzz(SweAgent(), OLD, seed=6)


# steps: jq '.trajectory | length'; calls: jq '[.history[] | select(.tool_calls)] | length'
REAL = {
    "ctf_web.traj": (21, 0),
    "humanevalfix.traj": (5, 0),
    "marsh_fc_replace.traj": (11, 11),
    "pydicom.traj": (12, 0),
    "smith_pandas.traj": (17, 17),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", REAL)
def test_real_files(shared_data: Path, name: str) -> None:
    source = Bytes((shared_data / "sweagent" / name).read_bytes(), name)
    assert SweAgent().sniff(source)
    made = steps(source.data)
    called = sum(item.action.raw is not None and not item.action.raw.endswith("\n") for item in made)
    assert (len(made), called) == REAL[name]
    assert all(item.observation is not None for item in made)


@pytest.mark.shared
def test_a_real_demonstration_is_refused(shared_data: Path) -> None:
    source = Bytes((shared_data / "sweagent" / "fc_simple.traj").read_bytes())
    assert SweAgent().sniff(source)
    with pytest.raises(InputError, match="demonstration"):
        list(SweAgent().read(source))


@pytest.mark.shared
def test_the_state_of_real_old_files_follows_their_actions(shared_data: Path) -> None:
    made = steps((shared_data / "sweagent" / "humanevalfix.traj").read_bytes())
    assert made[1].action.arguments == '{"command":"open main.py"}'
    assert (made[1].state_after or {})["open_file"].endswith("main.py")
