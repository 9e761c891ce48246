"""Plays calls in a real browser and hands back what it answered."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.recorder import Recorder
from worldtape.collectors.renderers import make_renderer
from worldtape.collectors.web import Element, Web, WebConfig, browser_call, elements
from worldtape.schemas import Action, Ready, StepResult
from worldtape.testing import ListTape

Step = str | Action | Callable[[list[Element]], str | Action]
Hook = Callable[[Web], Awaitable[Any]]


@dataclass
class Visit:
    """One trajectory from start to end."""

    ready: Ready
    results: list[StepResult]
    tape: ListTape
    trees: list[dict[str, Any]]
    hooked: Any = None

    @property
    def last(self) -> StepResult:
        return self.results[-1]

    @property
    def first_text(self) -> str:
        return self.ready.observation.text

    @property
    def text(self) -> str:
        return self.last.observation.text

    def lines(self, channel: str) -> list[bytes]:
        """What was written on a channel, chunk by chunk."""
        return [data for name, data in chunks(self.tape) if name == channel]


def visit(url: str | None, *steps: Step, hook: Hook | None = None, **settings: Any) -> Visit:
    """Open `url`, play `steps`, check that every observation can be rendered again, and return what came."""
    return asyncio.run(play(url, steps, hook, settings))


async def play(url: str | None, steps: Sequence[Step], hook: Hook | None, settings: dict[str, Any]) -> Visit:
    config = WebConfig(url=url, **({"screenshot": "none"} | settings))
    environment, tape = Web(config), ListTape()
    results, trees, hooked = [], [], None
    async with Recorder(environment, tape) as recorder:
        trees.append(environment.tree)
        if hook is not None:
            hooked = await hook(environment)
        for step in steps:
            await recorder.step(step(elements(environment.tree)) if callable(step) else step)
            results.append(recorder.last)
            trees.append(environment.tree)
    found = Visit(recorder.history.ready, results, tape, trees, hooked)
    for observation in [found.ready.observation, *(one.observation for one in results)]:
        assert rendered_again(tape, observation) == hashlib.sha256(observation.text.encode()).hexdigest()
    return found


def rendered_again(tape: ListTape, observation: Any) -> str:
    """Feed a fresh renderer the bytes that had been received, in pieces, and return the hash of its text."""
    renderer = make_renderer(observation.renderer)
    left = dict(observation.received)
    for channel, data in chunks(tape):
        take = data[: left.get(channel, 0)]
        left[channel] = left.get(channel, 0) - len(take)
        for at in range(0, len(take), 1000):
            renderer.feed(channel, take[at : at + 1000])
    assert not any(left.values()), left
    return hashlib.sha256(renderer.render().encode()).hexdigest()


def on(name: str, element: str, *values: Any, **given: Any) -> Callable[[list[Element]], Action]:
    """Return a step that calls `name` on the first element of the accessible name `element`."""

    def step(found: list[Element]) -> Action:
        chosen = next(one for one in found if one.name == element and one.role != "RootWebArea")
        return browser_call(name, *values, element=chosen, **given)

    return step


def chunks(tape: ListTape) -> list[tuple[str, bytes]]:
    """Everything that was read, in order."""
    return [(event.data["channel"], event.payload or b"") for event in tape.events if event.kind == "data"]
