"""The demo does the whole job on what is there, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.collectors.terminal._needs import needs
from worldtape.pipelines.demo import Place, demo
from worldtape.pipelines.demo._demo import TAPES
from worldtape.pipelines.demo._place import find_place
from worldtape.schemas import Lossiness
from worldtape.storage import query


def test_shipped_tapes_render_as_they_did(tmp_path: Path) -> None:
    report = demo(tmp_path, place=Place("tapes", missing=("no containers: none", "no local sandbox: none")))
    assert report.records == []
    assert report.project.trajectories == len(list(TAPES.rglob("*.zst"))) == 12
    assert (report.project.mismatched, report.project.set_aside) == (0, {})
    codes = query(report.lake, "SELECT DISTINCT unnest(lossiness) AS code FROM transitions")["code"].to_pylist()
    assert Lossiness.RENDER_MISMATCH not in codes
    assert {row["status"] for row in report.answer} >= {"ok", "tool_error", "interrupted"}
    assert sum(report.builds[0].rows.values()) > 0


@pytest.mark.sandbox
@pytest.mark.slow
def test_a_second_run_records_nothing_twice(tmp_path: Path) -> None:
    needs("local")
    first = demo(tmp_path, place=Place("local"))
    assert [report.recorded["failed"] for report in first.records] == [0, 0]
    assert first.records[0].solved == first.records[0].items >= 40
    kept = first.curate.funnel.line("kept")
    assert first.curate.funnel.line("recorded").trajectories == kept.trajectories == 84
    assert (tmp_path / "cpt" / "README.md").is_file()
    assert (tmp_path / "sft" / "README.md").is_file()

    again = demo(tmp_path, place=Place("local"))
    assert [report.present for report in again.records] == [report.items for report in first.records]
    assert again.project.projected == 0
    assert sum(stage.ran for stage in again.curate.stages) == 0
    assert [build.fresh for build in again.builds] == [False, False]
    assert again.answer == first.answer


def test_a_place_is_found_and_says_what_is_missing() -> None:
    place = find_place(pull_s=0)
    assert place.kind in {"docker", "local", "tapes"}
    assert len(place.missing) == {"docker": 0, "local": 1, "tapes": 2}[place.kind]
    assert str(place)
