"""Every task on the test sites is unsolved before its solution and solved after it, in a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.collectors.web._needs import needs_chromium
from worldtape.collectors.policies.web_script import WebScript
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.tasks import TaskFile, load_suite, unmet
from worldtape.collectors.web import Web, WebConfig, close_browsers
from worldtape.collectors.web.site import Site
from worldtape.schemas import StepResult
from worldtape.testing import ListTape

TASKS = load_suite("web-core").tasks
AT_ONCE = 3


def expected(task: TaskFile) -> dict[str, Any]:
    assert isinstance(task.verifier, dict)
    return task.verifier


async def solve(task: TaskFile) -> tuple[list[str], list[StepResult]]:
    """Return what is not there in the end, and the turns."""
    environment = Web(task.begun(WebConfig(screenshot="none", html=False, action_s=30)))
    steps = [step for step in task.solution if isinstance(step, (str, dict))]
    async with Recorder(environment, ListTape(), task=task.task) as recorder:
        await recorder.run(WebScript(steps), max_steps=50)
        assert len(recorder.history.turns) == len(task.solution)
        return unmet(expected(task), environment.site.state()), [result for _, result in recorder.history.turns]


@pytest.fixture(scope="module")
def played() -> Iterator[dict[str, tuple[list[str], list[StepResult]]]]:
    needs_chromium()
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(task: TaskFile) -> tuple[str, Any]:
        async with gate:
            return task.id, await solve(task)

    async def everything() -> dict[str, Any]:
        return dict(await asyncio.gather(*(one(task) for task in TASKS)))

    yield asyncio.run(everything())
    close_browsers()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_it_begins_unsolved(task: TaskFile) -> None:
    site = Site(task.start["site"], seed=task.start["site_seed"])
    assert unmet(expected(task), site.state())


@pytest.mark.web
@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_its_solution_solves_it(task: TaskFile, played: dict[str, Any]) -> None:
    missing, _ = played[task.id]
    assert missing == []


def test_the_suite_is_broad() -> None:
    assert len(TASKS) >= 15
    assert {task.start["site"] for task in TASKS} == {"forum", "shop"}
    assert len({tag for task in TASKS for tag in task.tags}) >= 12
