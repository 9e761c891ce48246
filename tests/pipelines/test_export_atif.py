"""ATIF as Harbor's own models read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests._components import require
from tests.pipelines import _harbor
from tests.pipelines.exporting import sample_lake
from worldtape import export, import_files, project
from worldtape.storage import Lake


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return sample_lake(tmp_path_factory.mktemp("atif"))


@pytest.fixture(scope="module")
def out(lake: Lake) -> Path:
    folder = Path(lake.uri).parent / "out"
    report = export(lake, folder, format="atif", workers=0)
    assert (report.trajectories, dict(report.left_out)) == (16, {"no transition": 1})
    return folder


@pytest.fixture(scope="module")
def package() -> Path:
    found = _harbor.folder()
    require("Harbor's package", found is not None, _harbor.HOW)
    assert found is not None
    return found


def documents(out: Path) -> list[Path]:
    return [path for path in sorted(out.glob("*.json")) if path.name != "export.json"]


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def test_harbor_takes_every_document(out: Path, package: Path) -> None:
    found = documents(out)
    assert len(found) == 16
    assert _harbor.complaints(package, found) == ""


def test_harbor_takes_other_peoples_trajectories(shared_data: Path, package: Path, tmp_path: Path) -> None:
    sources = [shared_data / name for name in ("atif", "mini_swe", "claude_code", "mcp", "chat_sft")]
    import_files(sources, tmp_path / "lake", workers=0)
    project(tmp_path / "lake", workers=0)
    report = export(tmp_path / "lake", tmp_path / "out", format="atif", workers=0)
    assert report.ok
    assert report.trajectories > 20
    assert _harbor.complaints(package, documents(tmp_path / "out")) == ""


def test_harbors_models_do_object(out: Path, package: Path, tmp_path: Path) -> None:
    broken = read(documents(out)[0])
    broken["steps"][0]["step_id"] = 7
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    assert "step_id" in _harbor.complaints(package, [tmp_path / "broken.json"])


def test_a_step_is_a_model_turn(out: Path) -> None:
    (found,) = (read(path) for path in documents(out) if "terminus" in path.read_text())
    assert [step["source"] for step in found["steps"]] == ["user", "agent", "agent", "agent"]
    assert [len(step.get("tool_calls", [])) for step in found["steps"]] == [0, 2, 2, 1]
    shared, own, cut = found["steps"][1:]
    assert [item["source_call_id"] for item in shared["observation"]["results"]] == ["call_1"]
    assert shared["observation"]["results"][0]["content"].startswith("New Terminal Output:")
    assert [item["content"] for item in own["observation"]["results"]] == ["", "two"]
    assert own["tool_calls"][1]["arguments"]["big"] == 2**70
    assert "observation" not in cut
    assert shared["timestamp"] == "2026-12-01T10:00:05.000007Z"


def test_what_atif_has_no_field_for(out: Path) -> None:
    found = read(out / "faulty.json")
    assert found["extra"]["worldtape"]["trajectory"]["end_status"] == "completed"
    first, second, third, last = (step["extra"]["worldtape"][0] for step in found["steps"])
    assert (first["state_after"], first["reward"], first["snapshot"]) == ({"cwd": "/tmp"}, 0.5, "snap-1")
    assert second["fault"]["kind"] == "disk_full"
    assert (second["status"], second["exit_codes"], second["error_code"]) == ("timeout_killed", [0, 137], 28)
    assert (third["first_output_at"], third["duration_ms"]) == (1_796_122_469_739_041, 0.125)
    assert "fault" not in third
    assert (last["actor"], last["action_raw"], last["lossiness"]) == ("human", "sleep 9", ["tail_missing"])
    assert first["settled_by"] == "prompt"
    assert first["renderer"] == "terminal.screen"


def test_words_are_a_step_without_calls(out: Path) -> None:
    words, click, calls = read(out / "talk.json")["steps"][1:]
    assert words["message"] == "Which one?"
    assert "tool_calls" not in words
    assert words["observation"]["results"] == [{"content": "answer 0"}]
    assert click["tool_calls"][0]["function_name"] == "ui_action"
    assert click["observation"]["results"][0]["content"] == "It says: answer 1"
    assert click["extra"]["worldtape"][0]["observation_text"] == "answer 0\nanswer 1"
    assert [item["source_call_id"] for item in calls["observation"]["results"]] == ["call_3"]


def test_reasoning_stays_on_the_tape(out: Path) -> None:
    assert not any("SECRET-REASONING" in path.read_text() for path in documents(out))
