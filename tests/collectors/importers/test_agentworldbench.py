"""Rows of AgentWorldBench."""

from __future__ import annotations

from typing import Any

import pytest

from worldtape.collectors.importers.agentworldbench import AgentWorldBench
from worldtape.schemas import Domain, EndStatus, Imported, ImportedStep, Rejected

from ._files import Bytes, jsonl
from ._fuzz import fuzz


def turn(number: int, action: str, state: str = "") -> str:
    return f"### Turn {number}\n{state}**Action:**\n```json\n{action}\n```"


def row(**fields: Any) -> dict[str, Any]:
    first = turn(1, '{"name": "read", "arguments": {"path": "a"}}')
    last = turn(2, '{"arguments":{},"name":"list"}')
    return {
        "task": "mcp",
        "id": 145256090131919,
        "prompt": [first, last + "\n\nPredict the observation."],
        "response": ["**Environment Observation:**\nhi\u2028there", "**Environment Observation:**\na b"],
        "current_prompt": last,
        "system_str": "# Role",
        "turn_idx": 2,
        "total_turns": 5,
    } | fields


def read(*rows: Any) -> list[Imported | Rejected]:
    source = Bytes(jsonl(*rows))
    assert AgentWorldBench().sniff(source)
    return list(AgentWorldBench().read(source))


def steps_of(made: Imported | Rejected) -> list[ImportedStep]:
    assert isinstance(made, Imported), made
    return [step for step in made.steps if isinstance(step, ImportedStep)]


def test_a_row_becomes_its_turns():
    made = read(row())[0]
    steps = steps_of(made)
    assert isinstance(made, Imported)
    assert [step.observation for step in steps] == ["hi\u2028there", "a b"]
    assert [(step.action.name, step.action.arguments) for step in steps] == [("read", '{"path":"a"}'), ("list", "{}")]
    assert steps[0].action.raw == '{"name": "read", "arguments": {"path": "a"}}'
    assert steps[1].action.raw is None
    assert made.end.status == EndStatus.LIMIT


def test_it_is_a_benchmark_and_keeps_every_field():
    for told in (145256090131919, "a-17"):
        made = read(row(id=told))[0]
        assert isinstance(made, Imported)
        assert made.task is not None
        assert (made.task.benchmark, made.task.id) == ("AgentWorldBench", str(told))
        assert made.extra == {key: value for key, value in row(id=told).items() if key not in ("prompt", "response")}
        steps = steps_of(made)
        assert [step.extra["prompt"] for step in steps] == row()["prompt"]
        assert [step.shown for step in steps] == row()["response"]


def test_android_has_an_instruction_a_state_and_an_action_on_one_line():
    first = "### Turn 1\n**Task Instruction:**\nDo I?\n\n**Current State:**\n[ 0] | x\n**odd**\n\n**Action:** tap(3)"
    made = read(row(task="android", prompt=[first], response=["**Environment Observation:**\n[ 1]"], turn_idx=1))[0]
    assert isinstance(made, Imported)
    assert made.domain == Domain.ANDROID
    assert made.task is not None
    assert (made.task.instruction, made.initial) == ("Do I?", "[ 0] | x\n**odd**")
    assert [(step.action.kind, step.action.text) for step in steps_of(made)] == [("ui_action", "tap(3)")]


def test_terminal_keystrokes():
    keys = '[{"keystrokes": "ls\\n", "duration": 0.1}]'
    made = read(row(task="terminal", prompt=[turn(1, keys)], response=["**Environment Observation:**\n$"]))[0]
    assert [(step.action.kind, step.action.text) for step in steps_of(made)] == [("keystrokes", keys)]


def test_only_the_tagged_observation_counts():
    opened, closed = "<predicted_observation>", "</predicted_observation>"
    tagged = f"thinking\n{opened}\none\n{closed}\n{opened}\ntwo\n{closed}"
    made = read(row(response=[tagged, "**Environment Observation:**\n"]))[0]
    assert [step.observation for step in steps_of(made)] == ["two", ""]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"response": []}, "tasks only"),
        ({"response": ["no tag", "x"]}, "neither"),
        ({"task": "chess"}, "chess"),
        ({"prompt": ["### Turn 1\nnothing"], "response": ["x"]}, "Action"),
        ({"response": ["**Environment Observation:**\nx"]}, "which belong together"),
        ({"prompt": row()["prompt"][::-1]}, "numbered"),
        ({"prompt": [7]}, "prompt"),
    ],
)
def test_rows_that_are_left_out(fields: dict[str, Any], reason: str):
    good, bad = read(row(), row(**fields))
    assert isinstance(good, Imported)
    assert isinstance(bad, Rejected)
    assert reason in bad.reason


def test_sniff_leaves_the_others_alone():
    for other in ({"task": "x", "prompt": "text"}, {"prompt": [{"role": "user"}], "turn_idx": 1}, {"id": 1}):
        assert not AgentWorldBench().sniff(Bytes(other))


def test_broken_versions():
    fuzz(AgentWorldBench, jsonl(row(), row(id="b")))
