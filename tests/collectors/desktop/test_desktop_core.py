"""Every task of the suite is solved by its solution on a real desktop, and what it does shows in the next tree."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from worldtape.collectors.desktop import Desktop, DesktopConfig
from worldtape.collectors.policies.desktop_script import DesktopScript, read_step
from worldtape.collectors.policies.explore_desktop.say import VERBS
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.tasks import TaskFile, load_suite, unmet
from worldtape.schemas import Action, Status, StepResult
from worldtape.testing import ListTape

TASKS = load_suite("desktop-core").tasks
AT_ONCE = 3

Turns = list[tuple[Action, StepResult]]


def expected(task: TaskFile) -> dict[str, Any]:
    assert isinstance(task.verifier, dict)
    return task.verifier


async def solve(task: TaskFile) -> tuple[list[str], Turns]:
    """Return what is not there in the end, and the turns."""
    environment = Desktop(task.begun(DesktopConfig(screenshot="none", renderer="desktop.tree")))
    steps = [step for step in task.solution if isinstance(step, (str, dict))]
    async with Recorder(environment, ListTape(), task=task.task) as recorder:
        await recorder.run(DesktopScript(steps), max_steps=50)
        assert len(recorder.history.turns) == len(task.solution)
        return unmet(expected(task), await environment.facts()), list(recorder.history.turns)


@pytest.fixture(scope="module")
def played(desktop_image: str) -> dict[str, tuple[list[str], Turns]]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(task: TaskFile) -> tuple[str, Any]:
        async with gate:
            return task.id, await solve(task)

    async def everything() -> dict[str, Any]:
        return dict(await asyncio.gather(*(one(task) for task in TASKS)))

    return asyncio.run(everything())


def after(played: dict[str, Any], task: str, step: int) -> str:
    """Return the observation after one step of a task's solution."""
    _, turns = played[task]
    text: str = turns[step][1].observation.text
    return text


@pytest.mark.desktop
@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_its_solution_solves_it(task: TaskFile, played: dict[str, Any]) -> None:
    missing, turns = played[task.id]
    assert missing == []
    assert all(result.outcome.status is Status.OK for _, result in turns)


@pytest.mark.desktop
@pytest.mark.slow
def test_what_is_done_shows_in_the_next_tree(played: dict[str, Any]) -> None:
    typed = after(played, "editor/save-as", 0)
    assert '"*Untitled 1 - Mousepad"' in typed
    assert r'text="call the roofer\nmeasure the hall window\n"' in typed
    menu = after(played, "editor/save-as", 1)
    assert 'menu item "Save As..." (' in menu
    assert 'menu item "Save As..."' not in typed
    dialog = after(played, "editor/save-as", 2)
    assert 'file chooser "Save As" [active' in dialog
    saved = after(played, "editor/save-as", 4)
    assert '"~/todo.txt - Mousepad" (mousepad) [active]' in saved
    assert "file chooser" not in saved
    asked = after(played, "editor/discard", 1)
    assert 'push button "Don\'t Save"' in asked
    assert "Mousepad" not in after(played, "editor/discard", 2)
    assert 'text="84"' in after(played, "calculator/product", 4)


@pytest.mark.desktop
@pytest.mark.slow
def test_what_it_does_changes_the_state(played: dict[str, Any]) -> None:
    _, turns = played["editor/save-as"]
    states = [result.state_after for _, result in turns]
    assert all(state is not None and state["changed"] for state in states)
    assert states[-1]["files"]["added"] == ["todo.txt"]
    assert all(result.observation.settled_by == "event" for _, result in turns)


def test_the_suite_is_broad() -> None:
    assert len(TASKS) >= 6
    assert {program.split()[0] for task in TASKS for program in task.start["programs"]} == {
        "galculator", "mousepad", "thunar",
    }  # fmt: skip
    verbs = {read_step(step).verb for task in TASKS for step in task.solution if isinstance(step, (str, dict))}
    assert len(verbs & VERBS) >= 6
