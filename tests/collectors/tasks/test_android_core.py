"""Every Android task is solved by its solution and by less of it not, on the pages and on the fake driver."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.collectors.android._needs import needs_appium, needs_phone_page
from tests.core.test_house import ROOT
from worldtape.collectors.android import Android, AndroidConfig, close_servers
from worldtape.collectors.policies.ui_script import UiScript
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.tasks import TaskFile, load_suite, unmet
from worldtape.errors import WorldtapeError
from worldtape.pipelines.record import read_job
from worldtape.schemas import StepResult
from worldtape.testing import ListTape

TASKS = load_suite("android-core").tasks
AT_ONCE = 3


def expected(task: TaskFile) -> dict[str, Any]:
    assert isinstance(task.verifier, dict)
    return task.verifier


async def solve(task: TaskFile) -> tuple[list[str], list[str], list[StepResult]]:
    """Return what is not there in the beginning and in the end, and the turns."""
    environment = Android(task.begun(AndroidConfig(screenshot=False, html=False)))
    steps = [step for step in task.solution if isinstance(step, (str, dict))]
    async with Recorder(environment, ListTape(), task=task.task) as recorder:
        before = unmet(expected(task), await environment.facts())
        await recorder.run(UiScript(steps), max_steps=50)
        assert len(recorder.history.turns) == len(task.solution)
        return before, unmet(expected(task), await environment.facts()), [one for _, one in recorder.history.turns]


@pytest.fixture(scope="module")
def played() -> Iterator[dict[str, Any]]:
    needs_phone_page()
    needs_appium()
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(task: TaskFile) -> tuple[str, Any]:
        async with gate:
            try:
                return task.id, await solve(task)
            except WorldtapeError as error:
                return task.id, error

    async def everything() -> dict[str, Any]:
        return dict(await asyncio.gather(*(one(task) for task in TASKS)))

    yield asyncio.run(everything())
    close_servers()


@pytest.mark.android
@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_its_solution_solves_it(task: TaskFile, played: dict[str, Any]) -> None:
    if isinstance(played[task.id], WorldtapeError):
        raise played[task.id]
    before, after, turns = played[task.id]
    assert before
    assert after == []
    changed = [bool(turn.state_after and turn.state_after["changed"]) for turn in turns]
    assert all(changed), [at for at, one in enumerate(changed) if not one]


def test_the_example_records_all_of_it_several_times() -> None:
    job = read_job(ROOT / "examples" / "android.yaml")
    assert (job.suite, job.environment["kind"], job.policy["kind"]) == ("android-core", "android", "explore-ui")
    assert len(TASKS) * job.repeats >= 20
    assert job.max_steps >= 10


def test_the_suite_is_broad() -> None:
    assert len(TASKS) >= 10
    assert {(task.start.get("driver", "chromium"), task.start["app"]) for task in TASKS} == {
        ("chromium", "contacts"),
        ("chromium", "larder"),
        ("chromium", "home"),
        ("fake", "survey"),
        ("fake", "thermostat"),
    }
