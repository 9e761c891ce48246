"""The demo does the whole job on what is there, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.collectors.terminal._needs import needs
from tests.collectors.web._needs import needs_chromium
from worldtape.collectors.tasks import load_suite
from worldtape.pipelines.demo import Place, demo
from worldtape.pipelines.demo._demo import TAPES
from worldtape.pipelines.demo._jobs import jobs
from worldtape.pipelines.demo._place import find_place
from worldtape.schemas import Lossiness
from worldtape.storage import query

DOMAINS = ["mcp", "search", "terminal", "web"]
NOWHERE = Place("tapes", missing=("no containers: none", "no local sandbox: none", "no browser: none"))
EVERYWHERE = Place("local", browser="Chromium")


@pytest.mark.slow
def test_where_nothing_can_be_had_tapes_take_the_place(tmp_path: Path) -> None:
    report = demo(tmp_path, place=NOWHERE)
    shipped = {domain: len(list((TAPES / domain).rglob("*.zst"))) for domain in ("terminal", "web")}
    assert shipped["terminal"] == 12
    assert shipped["web"] >= 6
    recorded = [(record.items, record.failed) for record in report.records]
    assert len(recorded) == 4
    assert all(items and not failed for items, failed in recorded)
    assert report.project.trajectories == sum(shipped.values()) + sum(items for items, _ in recorded)
    assert (report.project.mismatched, report.project.set_aside) == (0, {})
    codes = query(report.lake, "SELECT DISTINCT unnest(lossiness) AS code FROM transitions")["code"].to_pylist()
    assert Lossiness.RENDER_MISMATCH not in codes
    assert [row["domain"] for row in report.answer] == DOMAINS
    assert all(row["failed"] for row in report.answer)
    assert all(sum(build.rows.values()) for build in report.builds)


@pytest.mark.sandbox
@pytest.mark.web
@pytest.mark.slow
def test_a_second_run_records_nothing_twice(tmp_path: Path) -> None:
    needs("local")
    needs_chromium()
    first = demo(tmp_path, place=EVERYWHERE)
    assert [record.failed for record in first.records] == [0] * 8
    solved = {record.job: (record.solved, record.items) for record in first.records if record.job.endswith("-tasks")}
    suites = {f"demo-{domain}-tasks": len(load_suite(f"{domain}-core").tasks) for domain in DOMAINS}
    assert solved == {name: (count, count) for name, count in suites.items()}
    recorded = sum(record.items for record in first.records)
    assert first.curate.funnel.line("recorded").trajectories == recorded
    assert first.curate.funnel.line("kept").trajectories >= 0.9 * recorded
    assert [row["domain"] for row in first.answer] == DOMAINS
    assert (tmp_path / "cpt" / "README.md").is_file()
    assert (tmp_path / "sft" / "README.md").is_file()

    again = demo(tmp_path, place=EVERYWHERE)
    assert [record.present for record in again.records] == [record.items for record in first.records]
    assert again.project.projected == 0
    assert sum(stage.ran for stage in again.curate.stages) == 0
    assert [build.fresh for build in again.builds] == [False, False]
    assert again.answer == first.answer


def test_a_place_is_found_and_says_what_is_missing() -> None:
    place = find_place(pull_s=0)
    assert place.kind in {"docker", "local", "tapes"}
    assert len(place.missing) == {"docker": 0, "local": 1, "tapes": 2}[place.kind] + (place.browser is None) + (
        not place.search
    )
    assert str(place)


@pytest.mark.parametrize(
    ("place", "names", "told"),
    [
        (NOWHERE, {"search", "mcp"}, "an MCP server, a search engine; terminal and web from the tapes"),
        (Place("local"), {"search", "mcp", "terminal"}, "a search engine; web from the tapes that Worldtape ships"),
        (Place("local", search=False), {"mcp", "terminal"}, "an MCP server; web from the tapes that Worldtape ships"),
        (EVERYWHERE, set(DOMAINS), "the local sandbox (namespaces), Chromium, an MCP server, a search engine"),
    ],
)
def test_what_can_be_recorded_is(place: Place, names: set[str], told: str) -> None:
    assert {job.environment["kind"] for job in jobs(place)} == names
    assert told in str(place)
