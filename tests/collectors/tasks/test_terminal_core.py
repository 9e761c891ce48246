"""Every task of our suite is unsolved before its solution and solved after it, in a real sandbox."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.collectors.terminal._needs import needs
from worldtape.collectors.tasks import TaskFile, load_suite
from worldtape.collectors.terminal import Terminal, TerminalConfig, keystrokes
from worldtape.schemas import StepResult

pytestmark = pytest.mark.sandbox
TASKS = load_suite("terminal-core").tasks
AT_ONCE = 6


def nowhere(channel: str, data: bytes, mono_ns: int) -> None:
    """Take bytes that no test looks at."""


async def solve(task: TaskFile) -> tuple[int | None, int | None, list[StepResult]]:
    """Return the verifier's exit codes before and after, and the outcomes between them."""
    config = TerminalConfig(sandbox="local", setup=task.setup, timeout_s=20)
    async with Terminal(config) as terminal:
        await terminal.reset(nowhere)
        assert isinstance(task.verifier, str)
        before = (await terminal.run(task.verifier)).exit_code
        actions = [action for action in map(keystrokes, task.actions) if action is not None]
        results = [await terminal.step(action, nowhere) for action in actions]
        after = (await terminal.run(task.verifier)).exit_code
    return before, after, results


@pytest.fixture(scope="module")
def played():
    needs("local")
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(task: TaskFile) -> tuple[str, Any]:
        async with gate:
            return task.id, await solve(task)

    async def everything() -> dict[str, Any]:
        return dict(await asyncio.gather(*(one(task) for task in TASKS)))

    return asyncio.run(everything())


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_unsolved_then_solved(task, played):
    before, after, results = played[task.id]
    assert before != 0, "the verifier is satisfied before anything is done"
    assert after == 0, results[-1].observation.text


def test_the_suite_has_failures_and_turns_that_still_run(played):
    statuses = [result.outcome.status for _, _, results in played.values() for result in results]
    assert statuses.count("tool_error") > len(statuses) * 0.15
    assert statuses.count("timeout_still_running") >= 5
    assert "infra_error" not in statuses
