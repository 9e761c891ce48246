"""The explorer on the test sites, in a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.collectors.web._needs import needs_chromium
from worldtape.collectors.policies.explore_web import ExploreWeb
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.web import Web, WebConfig, close_browsers
from worldtape.schemas import Action, Status, StepResult
from worldtape.testing import ListTape

pytestmark = pytest.mark.web
STEPS = 18
JOBS: tuple[dict[str, Any], ...] = (
    {"site": "shop", "seed": 0},
    {"site": "forum", "seed": 1},
    {"site": "shop", "seed": 2, "renderer": "web.snapshot"},
    {"site": "forum", "seed": 3},
    {"site": "forum", "seed": 1},
)
"""The last is the second again."""

Turns = list[tuple[Action, StepResult]]


async def explore(site: str, seed: int, renderer: str = "web.axtree") -> Turns:
    told = {"site": site, "site_seed": seed, "renderer": renderer, "screenshot": "none", "html": False, "action_s": 30}
    config = WebConfig.model_validate(told)
    async with Recorder(Web(config), ListTape()) as recorder:
        await recorder.run(ExploreWeb(seed, patient=False), max_steps=STEPS)
        return list(recorder.history.turns)


@pytest.fixture(scope="module")
def explored() -> Iterator[list[Turns]]:
    needs_chromium()

    async def everything() -> list[Turns]:
        return list(await asyncio.gather(*(explore(**job) for job in JOBS)))

    yield asyncio.run(everything())
    close_browsers()


def test_states_change_and_some_turns_fail(explored: list[Turns]) -> None:
    for turns in explored:
        assert len(turns) == STEPS
        assert sum(bool((result.state_after or {}).get("changed")) for _, result in turns) >= 8
    outcomes = [result.outcome.status for turns in explored for _, result in turns]
    assert sum(status is not Status.OK for status in outcomes) >= 0.1 * len(outcomes)
    assert Status.INFRA_ERROR not in outcomes


def test_targets_are_many(explored: list[Turns]) -> None:
    targets = {(one.target.role, one.target.name) for turns in explored for one, _ in turns if one.target}
    assert len(targets) >= 30


def test_it_stays_on_its_site(explored: list[Turns]) -> None:
    for turns, job in zip(explored, JOBS, strict=True):
        hosts = {urlsplit((result.state_after or {}).get("url") or "").netloc for _, result in turns}
        assert hosts <= {f"{job['site']}.example", ""}


def test_the_same_seed_acts_and_sees_the_same(explored: list[Turns]) -> None:
    told = [[(one.text, result.observation.text) for one, result in turns] for turns in (explored[1], explored[-1])]
    assert told[0] == told[1]


def test_each_dialect_is_spoken(explored: list[Turns]) -> None:
    names = [{one.name for one, _ in turns if one.name} for turns in explored]
    assert all(name.startswith("browser_") for name in names[2])
    assert not any(name.startswith("browser_") for name in names[0] | names[1])
