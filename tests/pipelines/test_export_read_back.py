"""What stands under `worldtape` is somebody's data, too: it may be damaged, from tomorrow, or fit no longer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.importers._files import Bytes
from tests.collectors.importers._fuzz import fuzz
from tests.pipelines.lakes import Written
from worldtape import export, project
from worldtape.collectors.importers import IMPORTERS
from worldtape.errors import FormatError, InputError
from worldtape.schemas import EnvironmentSpec, EventKind, Imported, ImportedStep, PolicySpec, Rejected
from worldtape.storage import Lake

FORMATS = ("agentworldbench", "atif", "messages")
Row = dict[str, Any]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """One session of three steps and nothing that an importer would call foreign."""
    return session(tmp_path_factory.mktemp("back") / "lake", ["out 0", "out 1", "out 2"])


def session(root: Path, outputs: list[str]) -> Lake:
    written = Written(root, "one", policy=PolicySpec(kind="imported"), task={"id": "t", "instruction": "Go."})
    written.ready(environment=EnvironmentSpec(kind="terminal").to_dict())
    for step, output in enumerate(outputs):
        action = {"kind": "keystrokes", "text": f'[{{"keystrokes": "run {step}\\n"}}]', "actor": "agent"}
        written.tape.append(EventKind.ACTION, action, step=step)
        written.data(f"{output}\r\n")
        written.captured(step)
        written.tape.append(EventKind.RESULT, {"outcome": {"status": "ok", "exit_code": step}}, step=step)
    written.seal()
    project(root, workers=0)
    return Lake.open(root)


def exported(lake: Lake, name: str, folder: Path) -> list[Row]:
    """The lines or the document of an export."""
    export(lake, folder, format=name, workers=0)
    (path,) = (path for path in folder.iterdir() if path.name != "export.json")
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def lines(rows: list[Row]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def read(name: str, rows: list[Row]) -> list[Imported | Rejected]:
    return list(IMPORTERS[name]().read(Bytes(lines(rows), "a")))


def codes(record: Imported | Rejected) -> list[int | None]:
    assert isinstance(record, Imported)
    return [step.outcome.exit_code for step in record.steps if isinstance(step, ImportedStep)]


def changed(row: Row, change: Callable[[Row], None]) -> Row:
    """A row whose member `worldtape`, where it is a text, is changed as an object."""
    told = json.loads(row["worldtape"]) if "worldtape" in row else row["extra"]["worldtape"]
    change(told)
    return row | {"worldtape": json.dumps(told)} if "worldtape" in row else row


@pytest.mark.parametrize("name", FORMATS)
def test_it_comes_back(name: str, lake: Lake, tmp_path: Path) -> None:
    (record,) = read(name, exported(lake, name, tmp_path / "out"))
    assert codes(record) == [0, 1, 2]


@pytest.mark.parametrize("name", FORMATS)
def test_two_hundred_broken_ones(name: str, lake: Lake, tmp_path: Path) -> None:
    fuzz(IMPORTERS[name], lines(exported(lake, name, tmp_path / "out")))


def reason(name: str, rows: list[Row]) -> str:
    """Why nothing of them is imported."""
    try:
        records = read(name, rows)
    except InputError as error:
        return error.what
    assert all(isinstance(record, Rejected) for record in records)
    return str(records[0])


@pytest.mark.parametrize("name", FORMATS)
def test_written_tomorrow(name: str, lake: Lake, tmp_path: Path) -> None:
    rows = [changed(row, lambda told: told.update(version=2)) for row in exported(lake, name, tmp_path / "out")]
    assert "what stands under worldtape has version 2, newer than 1" in reason(name, rows)


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_head_is_rejected(name: str, lake: Lake, tmp_path: Path) -> None:
    def damage(told: Row) -> None:
        told["trajectory"]["end_status"] = "ended somehow"

    rows = [changed(row, damage) for row in exported(lake, name, tmp_path / "out")]
    assert "what stands under worldtape cannot be" in reason(name, rows)


def test_a_damaged_transition_is_an_error(lake: Lake, tmp_path: Path) -> None:
    (row,) = exported(lake, "atif", tmp_path / "out")
    row["steps"][2]["extra"]["worldtape"][0]["exit_code"] = "two"
    (record,) = read("atif", [row])
    with pytest.raises(FormatError, match="exit_code"):
        codes(record)


def test_steps_that_were_added_are_read_as_anybodys(lake: Lake, tmp_path: Path) -> None:
    (row,) = exported(lake, "atif", tmp_path / "out")
    row["steps"].append({"step_id": 5, "source": "agent", "message": "I am done."})
    (record,) = read("atif", [row])
    assert codes(record) == [None, None, None]


def test_calls_that_changed_places_keep_their_answers(lake: Lake, tmp_path: Path) -> None:
    (row,) = exported(lake, "messages", tmp_path / "out")
    messages = row["messages"]
    messages[1:5] = [*messages[3:5], *messages[1:3]]
    (record,) = read("messages", [row])
    assert isinstance(record, Imported)
    steps = [step for step in record.steps if isinstance(step, ImportedStep)]
    assert [("run 1" in step.action.text, step.observation) for step in steps[:2]] == [
        (True, "out 0\nout 1"),
        (False, "out 0"),
    ]


def test_some_rows_of_a_trajectory(lake: Lake, tmp_path: Path) -> None:
    rows = exported(lake, "agentworldbench", tmp_path / "out")
    (record,) = read("agentworldbench", [rows[0], rows[2]])
    assert codes(record) == [0, None, 2]
    again = read("agentworldbench", [rows[2], rows[0]])
    assert [codes(record) for record in again] == [[None, None, 2], [0]]


def test_turns_that_nobody_can_be_asked_for(tmp_path: Path) -> None:
    tag = "\x1b[2J<predicted_observation>"
    lake = session(tmp_path / "lake", [tag, tag, "\x1b[2J\x1b[Hfine", tag, "\x1b[2J\x1b[Hfine", tag])
    report = export(lake, tmp_path / "out", format="agentworldbench", workers=0)
    assert (report.transitions, report.skipped) == (5, 1)
    rows = exported(lake, "agentworldbench", tmp_path / "out")
    assert [(row["turn_idx"], row["total_turns"]) for row in rows] == [(3, 5), (5, 5)]
    (record,) = read("agentworldbench", rows)
    assert codes(record) == [0, 1, 2, 3, 4]


def test_rows_of_the_benchmark(lake: Lake, tmp_path: Path) -> None:
    rows = exported(lake, "agentworldbench", tmp_path / "out")
    names = ["task", "id", "prompt", "response", "current_prompt", "system_str", "turn_idx", "total_turns", "worldtape"]
    for number, row in enumerate(rows, 1):
        assert list(row) == names
        assert (row["task"], row["id"], row["turn_idx"], row["total_turns"]) == ("terminal", "one", number, 3)
        assert len(row["prompt"]) == len(row["response"]) == number
        assert row["prompt"][-1].startswith(row["current_prompt"])
        assert row["prompt"][-1].endswith("<predicted_observation> … </predicted_observation> block.")
        assert row["prompt"][:-1] == [earlier["current_prompt"] for earlier in rows[: number - 1]]
        assert row["response"][-1] == "**Environment Observation:**\n" + "\n".join(f"out {n}" for n in range(number))
    assert rows[0]["prompt"][0].startswith("### Turn 1\n**Current State:**\n\n\n**Action:**\n```json\n")
    assert rows[2]["current_prompt"] == '### Turn 3\n**Action:**\n```json\n[{"keystrokes": "run 2\\n"}]\n```'
    assert len({row["system_str"] for row in rows}) == 1


def test_a_chat_row(lake: Lake, tmp_path: Path) -> None:
    (row,) = exported(lake, "messages", tmp_path / "out")
    assert list(row) == ["id", "messages", "tools", "worldtape"]
    assert [message["role"] for message in row["messages"]] == ["user", *["assistant", "tool"] * 3]
    call = row["messages"][1]["tool_calls"][0]
    assert call["function"] == {"name": "keystrokes", "arguments": '{"keystrokes":[{"keystrokes":"run 0\\n"}]}'}
    assert row["messages"][2] == {"role": "tool", "tool_call_id": call["id"], "content": "out 0"}
    assert [tool["function"]["name"] for tool in row["tools"]] == ["keystrokes"]
