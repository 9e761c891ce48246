"""What is exported and imported again is what it was, less what the format says that it loses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipelines.exporting import sample_lake
from tests.pipelines.round_trip import BOTH_WAYS, comes_back
from worldtape import export, import_files, project, query
from worldtape.storage import Lake

HEADS = ("domain", "instruction", "initial_text", "initial_state", "initial_probes", "end_status", "reward")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return sample_lake(tmp_path_factory.mktemp("round"))


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_round_trip(name: str, lake: Lake, tmp_path: Path) -> None:
    comes_back(name, lake, tmp_path)


@pytest.mark.parametrize("name", ["agentworldbench", "atif", "messages"])
def test_trajectories_are_what_they_were(name: str, lake: Lake, tmp_path: Path) -> None:
    export(lake, tmp_path / "out", format=name, workers=0)
    import_files([tmp_path / "out"], tmp_path / "lake", workers=0)
    project(tmp_path / "lake", workers=0)
    columns = ", ".join(HEADS) + ", policy, environment, task_id, reference, licence, parent, started_at"
    before = query(lake, f"SELECT {columns} FROM trajectories").to_pylist()
    again = query(tmp_path / "lake", f"SELECT {columns} FROM trajectories").to_pylist()
    assert again
    assert [row for row in again if row not in before] == []
