"""Records a few actions on a device, and renders what was recorded once more."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.android import Android, AndroidConfig, Screen
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.renderers import make_renderer
from worldtape.schemas import Observation, Rendering, StepResult
from worldtape.testing import ListTape


@dataclass
class Played:
    """A recording that has ended."""

    tape: ListTape
    first: Observation
    initial: dict[str, Any]
    results: list[StepResult]
    screens: list[Screen]
    """Before each step, and after the last."""

    @property
    def last(self) -> StepResult:
        return self.results[-1]

    def state(self, step: int = -1) -> dict[str, Any]:
        found = self.results[step].state_after
        assert found is not None
        return found


def play(config: AndroidConfig, actions: Sequence[Any]) -> Played:
    """Carry out actions one after the other; what stands in the environment's `parse` is understood."""
    return asyncio.run(record(Android(config), actions))


async def record(device: Android, actions: Sequence[Any]) -> Played:
    tape, screens = ListTape(), list[Screen]()
    async with Recorder(device, tape) as recorder:
        for action in actions:
            screens.append(Screen.of(device.tree))
            await recorder.step(action)
        screens.append(Screen.of(device.tree))
    ready = recorder.history.ready
    results = [result for _, result in recorder.history.turns]
    return Played(tape, ready.observation, ready.initial_state.probes or {}, results, screens)


def rendered_again(tape: ListTape) -> list[bool]:
    """Say for each observation whether the bytes before it give it once more."""
    same = []
    data = [event for event in tape.events if event.kind == "data"]
    for captured in (event.data for event in tape.events if event.kind == "captured"):
        renderer = make_renderer(Rendering.model_validate(captured["renderer"]))
        left = Counter(captured["received"])
        for event in data:
            channel = event.data["channel"]
            taken = (event.payload or b"")[: left[channel]]
            left[channel] -= len(taken)
            renderer.feed(channel, taken)
        same.append(hashlib.sha256(renderer.render().encode()).hexdigest() == captured["sha256"])
    return same
