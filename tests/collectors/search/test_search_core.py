"""The suite that we ship, as a job records it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.test_house import ROOT
from worldtape.collectors.search import Search, SearchConfig
from worldtape.collectors.tasks import TaskFile, load_suite
from worldtape.errors import ConfigError
from worldtape.pipelines.project import project
from worldtape.pipelines.record import record
from worldtape.pipelines.record.job import read_job
from worldtape.pipelines.record.search import SearchKind
from worldtape.storage import query

JOB = ROOT / "examples" / "search.yaml"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        report = record(JOB, folder / "lake", workers=0)
    assert not report.interrupted
    assert project(str(folder / "lake"), workers=1).mismatched == 0
    return folder / "lake"


def column(lake: Path, sql: str) -> list[object]:
    return [row for (row,) in zip(*query(str(lake), sql).to_pydict().values(), strict=True)]


def test_every_task_is_solved(lake: Path) -> None:
    rewards = column(lake, "SELECT reward FROM trajectories WHERE end_status = 'completed'")
    assert rewards == [1.0] * len(load_suite("search-core").tasks)
    assert len(rewards) >= 20


def test_it_is_worth_training_on(lake: Path) -> None:
    asked = {q for given in column(lake, "SELECT arguments FROM transitions WHERE action_name = 'web_search'")
             for q in json.loads(str(given)).get("queries", ())}  # fmt: skip
    assert len(asked) >= 40
    statuses = column(lake, "SELECT status FROM transitions")
    assert sum(status != "ok" for status in statuses) >= len(statuses) / 10
    assert {"ok", "tool_error", "rejected", "env_error"} <= set(map(str, statuses))
    moved = column(lake, "SELECT count(DISTINCT state_after->>'memory_hash') FROM transitions")
    assert int(str(moved[0])) >= 8


def test_question_and_answer_travel_with_the_trajectory(lake: Path) -> None:
    rows = query(str(lake), "SELECT instruction, reference, environment FROM trajectories").to_pylist()
    for row in rows:
        environment = json.loads(row["environment"])
        assert row["reference"]
        assert environment["parameters"]["target_query"] in " ".join(row["instruction"].split())
        assert [tool["name"] for tool in environment["tools"]] == ["web_search", "web_extractor", "dict_memory"]


def test_tasks_that_do_not_fit() -> None:
    step = TaskFile(id="x", instruction="x", solution=("ls",))
    with pytest.raises(ConfigError, match="a step of the solution is no call"):
        SearchKind.player(step)
    wrong = TaskFile(id="x", instruction="x", start={"memry": {}})
    with pytest.raises(ConfigError, match="memry"):
        SearchKind().make(SearchConfig(), wrong)


def test_the_job_and_its_environment() -> None:
    job = read_job(JOB)
    made = SearchKind().make(SearchConfig(), load_suite(job.suite).tasks[0])
    assert isinstance(made, Search)
    assert made.spec.network == "none"
