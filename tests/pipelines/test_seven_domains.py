"""All seven domains in one lake, from the job to the corpora and back; those that this machine lacks are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import pytest

from tests.pipelines.domains import lacking, need
from tests.pipelines.round_trip import BOTH_WAYS, comes_back
from worldtape.pipelines.build import BuildReport, build_cpt, build_sft, read_action, read_observation, read_prediction
from worldtape.pipelines.curate import CurateConfig, CurateReport, PoolsConfig, curate
from worldtape.pipelines.curate._pools import deal
from worldtape.pipelines.exporting import EXPORTERS, export
from worldtape.pipelines.project import project
from worldtape.pipelines.record import JobConfig, record
from worldtape.schemas import Domain
from worldtape.storage import Lake, query

pytestmark = [pytest.mark.sandbox, pytest.mark.docker, pytest.mark.web, pytest.mark.slow]
LIGHT = {"html": False, "screenshot": "none", "bodies": "none"}
PLACES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "android": ({"kind": "android", "screenshot": False, "html": False}, {"kind": "explore-ui"}),
    "mcp": ({"kind": "mcp", "server": "orders"}, {"kind": "explore-tools", "changing": 0.6}),
    "os": ({"kind": "desktop", "screenshot": "none"}, {"kind": "explore-desktop"}),
    "search": ({"kind": "search"}, {"kind": "explore-tools"}),
    "swe": ({"kind": "swe", "package": "inflection"}, {"kind": "explore-repo"}),
    "terminal": ({"kind": "terminal", "sandbox": "local"}, {"kind": "explore"}),
    "web": ({"kind": "web", **LIGHT}, {"kind": "explore-web"}),
}
"""Domain to its environment and its explorer."""
TASKS, STEPS = 2, 16
EACH = TASKS + 1
"""Trajectories of a domain: solved tasks, and one that is explored."""
TOLD_AT_THE_START = {"android", "os", "terminal", "web"}
"""Domains in which there is something to see before the first action."""


@pytest.fixture(scope="module")
def domains() -> list[str]:
    """What can be recorded here."""
    return sorted(domain for domain in PLACES if not lacking(domain))


@pytest.mark.parametrize("domain", sorted(PLACES))
def test_there_is_every_domain(domain: str, lake: Path) -> None:
    assert set(PLACES) == set(map(str, Domain))
    need(domain)
    assert rows(
        lake, f"SELECT count(*) AS n FROM trajectories WHERE domain = '{domain}' AND end_status <> 'failed'"
    ) == [{"n": EACH}]


@pytest.fixture(scope="module")
def lake(domains: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with two solved tasks and an explored one of every domain, projected."""
    lake = tmp_path_factory.mktemp("seven") / "lake"
    for domain in domains:
        environment, explorer = PLACES[domain]
        shared = {"environment": environment, "limit": TASKS, "workers": 0, "max_seconds": 120}
        solved = record(JobConfig(name=f"{domain}-tasks", **shared), lake)
        assert (solved.solved, solved.judged, solved.items) == (TASKS, TASKS, TASKS), solved.rows()
        policy = explorer | {"steps": STEPS}
        explored = record(JobConfig(name=f"{domain}-explore", policy=policy, **shared | {"limit": 1}), lake)
        assert (explored.failed, len(explored.outcomes)) == (0, 1), explored.rows()
    report = project(lake, workers=0)
    assert (report.mismatched, report.set_aside) == (0, {})
    return lake


def rows(lake: Path, sql: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = query(lake, sql).to_pylist()
    return found


def test_every_domain_is_worth_recording(lake: Path, domains: list[str]) -> None:
    found = rows(
        lake,
        """
        SELECT domain, count(*) AS turns, count(*) FILTER (status <> 'ok') / count(*) AS failed,
          count(*) FILTER (state_before IS DISTINCT FROM state_after) AS changed,
          count(DISTINCT coalesce(target, action_text)) AS targets
        FROM transitions GROUP BY 1 ORDER BY 1
        """,
    )
    assert [row["domain"] for row in found] == domains
    for row in found:
        assert row["turns"] >= STEPS, row
        assert row["changed"] >= 4, row
        assert row["targets"] >= 10, row
        assert row["failed"] >= 0.05, row
    unknown = rows(lake, "SELECT count(*) AS n FROM turns WHERE previous_observation IS NULL OR state_before IS NULL")
    assert unknown == [{"n": 0}]


@pytest.fixture(scope="module")
def curated(lake: Path, domains: list[str]) -> CurateReport:
    """The lake, curated so that both corpora have every domain."""
    names = rows(lake, "SELECT DISTINCT domain, 'task:' || benchmark || '/' || task_id AS name FROM trajectories")
    wanted = {(domain, pool) for domain in domains for pool in ("cpt", "sft")}
    for seed in range(10_000):
        pools = PoolsConfig(shares={"cpt": 0.5, "sft": 0.5}, validation=0, seed=seed)
        if {(row["domain"], deal(row["name"], pools)[0]) for row in names} == wanted:
            return curate(lake, config=CurateConfig(pools=pools), workers=0)
    pytest.fail("no seed deals out every domain")


def test_the_funnel_adds_up_over_the_domains(lake: Path, curated: CurateReport, domains: list[str]) -> None:
    kept = rows(
        lake,
        """
        SELECT domain, count(*) AS turns, count(DISTINCT trajectory_id) AS trajectories FROM transitions t
        ANTI JOIN (FROM (FROM rules UNION ALL FROM exact_duplicates) WHERE NOT keep) x
          ON x.trajectory_id = t.trajectory_id AND (x.step IS NULL OR x.step = t.step)
        GROUP BY 1 ORDER BY 1
        """,
    )
    assert [row["domain"] for row in kept] == domains
    line = curated.funnel.line("kept")
    assert sum(row["turns"] for row in kept) == line.transitions
    assert sum(row["trajectories"] for row in kept) == line.trajectories == len(domains) * EACH


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


def test_cpt_loads_with_all_domains(
    lake: Path, corpora: dict[str, BuildReport], domains: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {row["transition_id"]: row for row in rows(lake, "FROM transitions")}
    loaded = load(lake, "cpt", monkeypatch)
    assert corpora["cpt"].rows["train"] == len(loaded)
    assert {row["domain"] for row in loaded} == set(domains)
    for row in loaded:
        check_system(row, row["messages"][0]["content"])
        pairs = zip(row["transition_ids"], row["messages"][1::2], row["messages"][2::2], strict=True)
        for name, user, answer in pairs:
            assert read_action(user["content"]) == told[name]["action_text"]
            assert read_observation(answer["content"]) == told[name]["observation_text"]
            language = {"os": "python", "web": ""}.get(row["domain"], "json")
            assert f"**Action:**\n```{language}\n" in user["content"]
        first = row["messages"][1]["content"]
        assert "**Current State:**\n" in first or row["domain"] not in TOLD_AT_THE_START
        assert "**Current State:**\n\n\n" not in first


def test_sft_loads_with_all_domains(
    lake: Path, corpora: dict[str, BuildReport], domains: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {row["transition_id"]: row for row in rows(lake, "FROM transitions")}
    loaded = load(lake, "sft", monkeypatch)
    assert corpora["sft"].rows["train"] == len(loaded)
    assert {row["domain"] for row in loaded} == set(domains)
    for row in loaded:
        check_system(row, row["prompt"][0]["content"])
        assert read_prediction(row["completion"][0]["content"]) == told[row["transition_id"]]["observation_text"]


def check_system(row: dict[str, Any], system: str) -> None:
    """The prompt of a screen names its renderer, and that of tools those of its trajectory."""
    drawn = {"android": "android.elements@1", "os": "desktop.table@1", "web": "web.axtree@1"}
    if row["domain"] in drawn:
        assert row["renderer"] == drawn[row["domain"]]
        assert f"`{row['renderer']}`" in system
    if row["domain"] in {"mcp", "search", "swe"}:
        assert '\n{"name": "' in system
    assert row["template"].startswith(f"{row['domain']}/")


@pytest.mark.parametrize("name", [name for name in BOTH_WAYS if len(EXPORTERS[name].domains) == len(Domain)])
def test_every_domain_comes_back(name: str, lake: Path, domains: list[str], tmp_path: Path) -> None:
    report = comes_back(name, Lake.open(lake), tmp_path)
    assert report.trajectories == len(domains) * EACH
    assert set(report.left_out) <= {"no transition", "no observation"}  # of a start that failed and was tried again


def test_every_domain_is_a_trace(lake: Path, domains: list[str], tmp_path: Path) -> None:
    report = export(lake, tmp_path / "out", format="otlp", workers=0)
    assert report.trajectories >= len(domains) * EACH
    assert report.skipped == 0
