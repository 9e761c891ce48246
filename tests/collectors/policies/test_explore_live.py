"""The explorer in real sandboxes: rich, failing as often as asked, and the same for the same seed."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from tests._sandboxes import IMAGE, need_docker, need_namespaces
from tests.collectors.policies._tape import Forgetful
from worldtape.collectors.policies import Explore
from worldtape.collectors.policies.explore.mode import Mode, mode_of
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.terminal import Terminal, TerminalConfig
from worldtape.schemas import Action, Status, StepResult

pytestmark = [pytest.mark.anyio, pytest.mark.sandbox]
SEEDS, STEPS = 20, 30
AT_ONCE = 6
Turns = list[tuple[Action, StepResult]]

_PROGRAM = re.compile(
    r"(?:^|[|;&(]\s*|\b(?:do|then|xargs|timeout [\d.]+|nohup|env -i) )(\.?/?[a-z][\w./+-]*)(?=\s|$)", re.MULTILINE
)
_WORDING = re.compile(r"^(?:\S*: )*(?P<what>.*?)(?:: .*)?$")


async def explore(seed: int, steps: int, busy: asyncio.Semaphore, **config: Any) -> Turns:
    async with busy, Recorder(Terminal(TerminalConfig(**config)), Forgetful()) as recorder:
        await recorder.run(Explore(seed), max_steps=steps)
        return recorder.history.turns


async def explore_all(seeds: range, steps: int, **config: Any) -> list[Turns]:
    busy = asyncio.Semaphore(AT_ONCE)
    return await asyncio.gather(*(explore(seed, steps, busy, **config) for seed in seeds))


def programs(turns: Turns) -> set[str]:
    """Return what was run at a shell's prompt and was found."""
    found: set[str] = set()
    mode: Mode | None = Mode.SHELL
    for action, result in turns:
        if mode is Mode.SHELL and result.outcome.exit_code != 127:
            for stroke in json.loads(action.text):
                found |= set(_PROGRAM.findall(stroke["keystrokes"].partition("<<")[0].partition(" -c ")[0]))
        mode = mode_of(result)
    return found - {"do", "done", "for", "while", "if", "then", "case"}


def wording(result: StepResult) -> str | None:
    """Return an error's words without what it names."""
    error = result.outcome.error
    if not result.outcome.exit_code or error is None or not error.message:
        return None
    return re.sub(r"['‘\"`][^'’\"`]*['’\"`]|\S*\d\S*|[\w-]+\.\w+|^\S+: ", "_", error.message)


@pytest.mark.slow
async def test_twenty_seeds_are_rich_and_fail_as_often_as_asked() -> None:
    need_namespaces()
    runs = await explore_all(range(SEEDS), STEPS, sandbox="local")
    turns = [turn for run in runs for turn in run]
    assert len(turns) == SEEDS * STEPS
    texts = [action.text for action, _ in turns]
    assert len(set(texts)) >= 0.6 * len(texts)
    assert len(set().union(*map(programs, runs))) >= 30
    failing = [result for _, result in turns if result.outcome.exit_code]
    assert 0.15 * len(turns) <= len(failing) <= 0.25 * len(turns)
    assert len({words for _, result in turns if (words := wording(result))}) >= 12
    for mode in (Mode.EDITOR, Mode.REPL, Mode.RUNNING, Mode.PAGER):
        assert sum(any(mode_of(result) is mode for _, result in run) for run in runs) >= 3, mode
    assert not [result for _, result in turns if result.outcome.status in (Status.INFRA_ERROR, Status.REJECTED)]


@pytest.mark.slow
async def test_the_same_seed_acts_the_same_in_two_real_runs() -> None:
    need_namespaces()
    first, again = [await explore_all(range(SEEDS), STEPS, sandbox="local") for _ in range(2)]
    for seed, (one, other) in enumerate(zip(first, again, strict=True)):
        assert [action.text for action, _ in one] == [action.text for action, _ in other], seed


async def test_one_short_session() -> None:
    need_namespaces()
    (turns,) = await explore_all(range(7, 8), 12, sandbox="local")
    assert len(turns) == 12
    assert sum(result.outcome.exit_code == 0 for _, result in turns) >= 6


@pytest.mark.slow
@pytest.mark.docker
async def test_a_small_container_is_explored_as_well() -> None:
    need_docker()
    runs = await explore_all(range(6), STEPS, sandbox="docker", image=IMAGE)
    turns = [turn for run in runs for turn in run]
    assert len(turns) == 6 * STEPS
    failing = [result for _, result in turns if result.outcome.exit_code]
    assert 0.1 * len(turns) <= len(failing) <= 0.3 * len(turns)
    assert not [result for _, result in turns if result.outcome.status in (Status.INFRA_ERROR, Status.REJECTED)]
