"""A recorded desktop for a module's tests, and an event loop that lives as long."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from worldtape.collectors.desktop import Desktop, DesktopConfig
from worldtape.collectors.recorder import Recorder
from worldtape.schemas import StepResult
from worldtape.testing import ListTape


class Held:
    """A desktop that is recorded on a tape in memory."""

    def __init__(self, runner: asyncio.Runner, **settings: Any) -> None:
        self.runner = runner
        self.desktop = Desktop(DesktopConfig(**settings))
        self.tape = ListTape()
        self.recorder = Recorder(self.desktop, self.tape)

    def run(self, code: str, timeout_s: float | None = None) -> StepResult:
        """Run an action and return its result."""
        action = self.desktop.parse(code)
        assert action is not None
        self.runner.run(self.recorder.step(action.model_copy(update={"timeout_s": timeout_s})))
        return self.recorder.last

    def facts(self) -> dict[str, Any]:
        """Return what verifiers look at."""
        return self.runner.run(self.desktop.facts())

    @property
    def state(self) -> dict[str, Any]:
        """The state after the newest step."""
        state = self.recorder.last.state_after
        assert state is not None
        return state


@contextmanager
def held_desktop(**settings: Any) -> Iterator[Held]:
    """Give a desktop that has started; it is removed at the end."""
    with asyncio.Runner() as runner:
        held = Held(runner, **settings)
        runner.run(held.recorder.__aenter__())
        try:
            yield held
        finally:
            runner.run(held.recorder.__aexit__(None, None, None))
