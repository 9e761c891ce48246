"""What is exported and imported again is what it was, less what the format says that it loses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipelines.exporting import sample_lake
from tests.pipelines.round_trip import BOTH_WAYS, comes_back, heads
from worldtape.storage import Lake


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return sample_lake(tmp_path_factory.mktemp("round"))


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_round_trip(name: str, lake: Lake, tmp_path: Path) -> None:
    comes_back(name, lake, tmp_path)


@pytest.mark.parametrize("name", ["agentworldbench", "atif", "messages"])
def test_trajectories_are_what_they_were(name: str, lake: Lake, tmp_path: Path) -> None:
    comes_back(name, lake, tmp_path)
    again = heads(tmp_path / "lake")
    assert again
    assert [row for row in again if row not in heads(lake)] == []
