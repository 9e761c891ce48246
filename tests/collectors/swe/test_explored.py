"""The explorer and the suite on three packages, in real containers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from worldtape.collectors.policies import ExploreRepo, Script
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.swe import Swe, SweConfig
from worldtape.collectors.tasks import TaskFile, load_suite
from worldtape.pipelines.record.swe import SweKind
from worldtape.schemas import Action, Status, StepResult
from worldtape.testing import ListTape

pytestmark = [pytest.mark.docker, pytest.mark.slow]
STEPS = 24
AT_ONCE = 3
JOBS = (("inflection", "cli", 1), ("toolz", "claude", 2), ("tabulate", "cli", 3), ("toolz", "claude", 2))
"""The last is the second again."""
TASKS = load_suite("swe-core").tasks

Turns = list[tuple[Action, StepResult]]


async def explore(package: str, family: Any, seed: int) -> Turns:
    async with Recorder(Swe(SweConfig(package=package, family=family)), ListTape()) as recorder:
        await recorder.run(ExploreRepo(seed, slow=False), max_steps=STEPS)
        return list(recorder.history.turns)


async def solve(task: TaskFile) -> tuple[Any, Any, Turns]:
    """Return the verdicts before and after a task's solution, and the turns."""
    kind = SweKind()
    environment = kind.make(SweConfig(package="toolz"), task)
    async with Recorder(environment, ListTape(), task=task.task) as recorder:
        before = await kind.verify(environment, task, timeout_s=120)
        await recorder.run(kind.player(task), max_steps=50)
        return before, await kind.verify(environment, task, timeout_s=120), list(recorder.history.turns)


async def at_most(jobs: list[Any]) -> list[Any]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(job: Any) -> Any:
        async with gate:
            return await job

    return list(await asyncio.gather(*(one(job) for job in jobs)))


@pytest.fixture(scope="module")
def explored(swe_packages: tuple[str, ...]) -> list[Turns]:
    assert {package for package, _, _ in JOBS} == set(swe_packages)
    return asyncio.run(at_most([explore(*job) for job in JOBS]))


@pytest.fixture(scope="module")
def solved(swe_packages: tuple[str, ...]) -> dict[str, tuple[Any, Any, Turns]]:
    found = asyncio.run(at_most([solve(task) for task in TASKS]))
    return dict(zip((task.id for task in TASKS), found, strict=True))


def test_states_change_and_some_turns_fail(explored: list[Turns]) -> None:
    for turns in explored:
        assert len(turns) == STEPS
        assert sum(bool((result.state_after or {}).get("changed")) for _, result in turns) >= 5
    outcomes = [result.outcome.status for turns in explored for _, result in turns]
    assert 0.1 * len(outcomes) <= sum(status is not Status.OK for status in outcomes) <= 0.5 * len(outcomes)
    assert Status.INFRA_ERROR not in outcomes


def test_tests_fail_and_pass_again(explored: list[Turns]) -> None:
    for turns in explored:
        runs = [run for _, result in turns if (run := (result.state_after or {}).get("tests"))]
        assert any(run["failed"] or run["errors"] for run in runs)
        assert any(run["counts"]["passed"] and not run["failed"] and not run["errors"] for run in runs)


def test_targets_are_many(explored: list[Turns]) -> None:
    targets = {(one.target.role, one.target.name) for turns in explored for one, _ in turns if one.target}
    assert len(targets) >= 40


def test_the_same_seed_acts_the_same(explored: list[Turns]) -> None:
    assert [one.text for one, _ in explored[1]] == [one.text for one, _ in explored[-1]]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_task_is_unsolved_then_solved(task: TaskFile, solved: dict[str, tuple[Any, Any, Turns]]) -> None:
    before, after, turns = solved[task.id]
    assert (before.reward, after.reward) == (0, 1), after.seen
    assert len(turns) == len(task.solution)
    assert any(result.outcome.status is not Status.OK for _, result in turns)


def test_the_suite_is_broad() -> None:
    assert {task.start["package"] for task in TASKS} == {"inflection", "tabulate", "toolz"}
    assert {task.start["family"] for task in TASKS} == {"cli", "claude"}
    assert {"bug", "feature", "git", "timeout"} <= {tag for task in TASKS for tag in task.tags}
    assert all(isinstance(SweKind.player(task), Script) for task in TASKS)


def test_an_endless_suite_is_timed_out(solved: dict[str, tuple[Any, Any, Turns]]) -> None:
    _, _, turns = solved["toolz/endless"]
    state = turns[0][1].state_after
    assert state is not None
    assert (state["tests"]["ended"], state["tests"]["framework"]) == ("timed_out", "pytest")
    assert state["tests"]["passed"]
    assert json.dumps(state)
