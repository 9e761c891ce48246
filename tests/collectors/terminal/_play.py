"""Plays actions in a real terminal and hands back what it answered."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests._components import require
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.renderers import make_renderer
from worldtape.collectors.terminal import Terminal, TerminalConfig
from worldtape.schemas import Action, Ready, StepResult
from worldtape.testing import ListTape


@dataclass
class Played:
    """One session from start to end."""

    ready: Ready
    results: list[StepResult]
    tape: ListTape
    terminal: Terminal

    @property
    def last(self) -> StepResult:
        return self.results[-1]

    @property
    def text(self) -> str:
        return self.last.observation.text

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


Step = str | Sequence[Any] | Action
Hook = Callable[[Terminal], Awaitable[None]]


async def playing(steps: Sequence[Step | Hook], **settings: Any) -> Played:
    terminal = Terminal(TerminalConfig(**({"sandbox": "unsafe-local"} | settings)))
    tape = ListTape()
    results: list[StepResult] = []
    async with Recorder(terminal, tape) as recorder:
        for step in steps:
            if callable(step):
                await step(terminal)
                continue
            await recorder.step([{"keystrokes": step + "\n"}] if isinstance(step, str) else step)
            results.append(recorder.last)
        ready = recorder.history.ready
    return Played(ready, results, tape, terminal)


def play(*steps: Step | Hook, **settings: Any) -> Played:
    """Play `steps` (a string is a line that is entered) in a terminal of these settings."""
    require("a shell on Linux", sys.platform == "linux", "run this on Linux")
    return asyncio.run(playing(steps, **settings))


def needs(*programs: str) -> None:
    for program in programs:
        require(program, shutil.which(program) is not None, f"apt-get install {program}")


def rendered_again(tape: ListTape) -> list[str]:
    """Return the SHA-256 of every observation, rendered from the bytes on the tape alone."""
    data = [event for event in tape.events if event.kind == "data"]
    digests = []
    for event in tape.events:
        if event.kind != "captured":
            continue
        from worldtape.schemas import Rendering

        renderer = make_renderer(Rendering.model_validate(event.data["renderer"]))
        left = dict(event.data["received"])
        for piece in data:
            channel, payload = piece.data["channel"], piece.payload or b""
            take = payload[: left.get(channel, 0)]
            left[channel] = left.get(channel, 0) - len(take)
            renderer.feed(channel, take)
        digests.append(hashlib.sha256(renderer.render().encode()).hexdigest())
    return digests
