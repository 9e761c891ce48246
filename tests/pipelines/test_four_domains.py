"""Terminals, browsers, MCP servers and searches in one lake, from the job to the corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import pytest

from tests.collectors.terminal._needs import needs
from tests.collectors.web._needs import needs_chromium
from worldtape.pipelines.build import BuildReport, build_cpt, build_sft, read_action, read_observation, read_prediction
from worldtape.pipelines.curate import CurateConfig, CurateReport, PoolsConfig, curate
from worldtape.pipelines.curate._pools import deal
from worldtape.pipelines.exporting import export
from worldtape.pipelines.project import project
from worldtape.pipelines.record import JobConfig, record
from worldtape.storage import query

pytestmark = [pytest.mark.sandbox, pytest.mark.web, pytest.mark.slow]
LIGHT = {"html": False, "screenshot": "none", "bodies": "none"}
PLACES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "mcp": ({"kind": "mcp", "server": "orders"}, {"kind": "explore-tools", "changing": 0.6}),
    "search": ({"kind": "search"}, {"kind": "explore-tools"}),
    "terminal": ({"kind": "terminal", "sandbox": "local"}, {"kind": "explore"}),
    "web": ({"kind": "web", **LIGHT}, {"kind": "explore-web"}),
}
"""Domain to its environment and its explorer."""
TASKS, STEPS = 2, 16
DOMAINS = sorted(PLACES)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with two solved tasks and two explored ones of every domain, projected."""
    needs("local")
    needs_chromium()
    lake = tmp_path_factory.mktemp("four") / "lake"
    for domain, (environment, explorer) in PLACES.items():
        shared = {"environment": environment, "limit": TASKS, "workers": 0, "max_seconds": 120}
        solved = record(JobConfig(name=f"{domain}-tasks", **shared), lake)
        assert (solved.solved, solved.judged, solved.items) == (TASKS, TASKS, TASKS), solved.rows()
        policy = explorer | {"steps": STEPS}
        explored = record(JobConfig(name=f"{domain}-explore", policy=policy, **shared), lake)
        assert (explored.failed, len(explored.outcomes)) == (0, TASKS), explored.rows()
    report = project(lake, workers=0)
    assert (report.trajectories, report.mismatched, report.set_aside) == (4 * 2 * TASKS, 0, {})
    return lake


def rows(lake: Path, sql: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = query(lake, sql).to_pylist()
    return found


def test_every_domain_is_worth_recording(lake: Path) -> None:
    found = rows(
        lake,
        """
        SELECT domain, count(*) AS turns, count(*) FILTER (status <> 'ok') / count(*) AS failed,
          count(*) FILTER (state_before IS DISTINCT FROM state_after) AS changed,
          count(DISTINCT coalesce(target, action_text)) AS targets
        FROM transitions GROUP BY 1 ORDER BY 1
        """,
    )
    assert [row["domain"] for row in found] == DOMAINS
    for row in found:
        assert row["turns"] >= 2 * STEPS, row
        assert row["changed"] >= 8, row
        assert row["targets"] >= 16, row
        assert row["failed"] >= 0.05, row
    unknown = rows(lake, "SELECT count(*) AS n FROM turns WHERE previous_observation IS NULL OR state_before IS NULL")
    assert unknown == [{"n": 0}]


@pytest.fixture(scope="module")
def curated(lake: Path) -> CurateReport:
    """The lake, curated so that both corpora have every domain."""
    names = rows(lake, "SELECT DISTINCT domain, 'task:' || benchmark || '/' || task_id AS name FROM trajectories")
    wanted = {(domain, pool) for domain in DOMAINS for pool in ("cpt", "sft")}
    for seed in range(1000):
        pools = PoolsConfig(shares={"cpt": 0.5, "sft": 0.5}, validation=0, seed=seed)
        if {(row["domain"], deal(row["name"], pools)[0]) for row in names} == wanted:
            return curate(lake, config=CurateConfig(pools=pools), workers=0)
    pytest.fail("no seed deals out every domain")


def test_the_funnel_adds_up_over_the_domains(lake: Path, curated: CurateReport) -> None:
    kept = rows(
        lake,
        """
        SELECT domain, count(*) AS turns, count(DISTINCT trajectory_id) AS trajectories FROM transitions t
        ANTI JOIN (FROM (FROM rules UNION ALL FROM exact_duplicates) WHERE NOT keep) x
          ON x.trajectory_id = t.trajectory_id AND (x.step IS NULL OR x.step = t.step)
        GROUP BY 1 ORDER BY 1
        """,
    )
    assert [row["domain"] for row in kept] == DOMAINS
    line = curated.funnel.line("kept")
    assert sum(row["turns"] for row in kept) == line.transitions
    assert sum(row["trajectories"] for row in kept) == line.trajectories == 4 * 2 * TASKS


@pytest.fixture(scope="module")
def corpora(lake: Path, curated: CurateReport) -> dict[str, BuildReport]:
    """Both corpora beside the lake."""
    return {
        "cpt": build_cpt(lake, lake.parent / "cpt", workers=0),
        "sft": build_sft(lake, lake.parent / "sft", workers=0),
    }


def load(lake: Path, corpus: str, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", lake.parent / "cache")
    return list(datasets.load_dataset(str(lake.parent / corpus))["train"])


def test_cpt_loads_with_four_domains(
    lake: Path, corpora: dict[str, BuildReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {row["transition_id"]: row for row in rows(lake, "FROM transitions")}
    loaded = load(lake, "cpt", monkeypatch)
    assert not any(reason.startswith("no template") for reason in corpora["cpt"].dropped)
    assert {row["domain"] for row in loaded} == set(DOMAINS)
    for row in loaded:
        check_system(row, row["messages"][0]["content"])
        pairs = zip(row["transition_ids"], row["messages"][1::2], row["messages"][2::2], strict=True)
        for name, user, answer in pairs:
            assert read_action(user["content"]) == told[name]["action_text"]
            assert read_observation(answer["content"]) == told[name]["observation_text"]
            language = "" if row["domain"] == "web" else "json"
            assert f"**Action:**\n```{language}\n" in user["content"]
        first = row["messages"][1]["content"]
        assert "**Current State:**\n" in first or row["domain"] in {"mcp", "search"}
        assert "**Current State:**\n\n\n" not in first


def test_sft_loads_with_four_domains(
    lake: Path, corpora: dict[str, BuildReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {row["transition_id"]: row for row in rows(lake, "FROM transitions")}
    loaded = load(lake, "sft", monkeypatch)
    assert corpora["sft"].rows["train"] == len(loaded)
    assert {row["domain"] for row in loaded} == set(DOMAINS)
    for row in loaded:
        check_system(row, row["prompt"][0]["content"])
        assert read_prediction(row["completion"][0]["content"]) == told[row["transition_id"]]["observation_text"]


def check_system(row: dict[str, Any], system: str) -> None:
    """A browser's prompt names its renderer, and that of a server or a search the tools of its trajectory."""
    if row["domain"] == "web":
        assert row["renderer"] == "web.axtree@1"
        assert "`web.axtree@1`" in system
    if row["domain"] in {"mcp", "search"}:
        assert '\n{"name": "' in system
    assert row["template"].startswith(f"{row['domain']}/")


def test_benchmark_rows_of_every_domain(lake: Path, tmp_path: Path) -> None:
    report = export(lake, tmp_path / "out", format="agentworldbench", workers=0)
    assert report.trajectories == 4 * 2 * TASKS
