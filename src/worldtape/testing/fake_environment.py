"""An environment that answers from memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from worldtape.schemas import (
    Action,
    EnvironmentSpec,
    InitialState,
    Observation,
    Outcome,
    Ready,
    Rendering,
    SettledBy,
    Sink,
    Status,
    StepResult,
    Timing,
)

RENDERING = Rendering(name="fake.last", version="1")
"""The text of an observation is the newest answer."""


class FakeEnvironment:
    """Follows `Environment` without doing anything real.

    Args:
        answers: action text to observation text, or a function of it; an unknown text is a `tool_error`. An answer may
            also be a whole `StepResult`, or an exception to raise.
        ends_after: the environment ends with the step of this number (from 1).
        fail_start: raised when it is entered.
        domain: the domain that recordings of it belong to.
    """

    def __init__(
        self,
        answers: Mapping[str, Any] | Callable[[str], Any] | None = None,
        *,
        ends_after: int | None = None,
        fail_start: Exception | None = None,
        domain: str = "terminal",
    ) -> None:
        self.spec = EnvironmentSpec(kind="fake")
        self.domain = domain
        self.entered = self.left = 0
        self.actions: list[Action] = []
        self._answers = answers if callable(answers) else (answers or {}).get
        self._ends_after = ends_after
        self._fail_start = fail_start
        self._received = 0

    async def __aenter__(self) -> Self:
        if self._fail_start is not None:
            raise self._fail_start
        self.entered += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.left += 1

    async def reset(self, sink: Sink) -> Ready:
        """Answer with `ready`."""
        initial = InitialState(text="a fake environment", probes={"steps": 0})
        return Ready(environment=self.spec, initial_state=initial, observation=self._observe("ready", sink))

    async def step(self, action: Action, sink: Sink) -> StepResult:
        """Look the answer up."""
        started, mono = time.time_ns() // 1000, time.monotonic_ns()
        self.actions.append(action)
        answer = self._answers(action.text)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, StepResult):
            return answer
        status = Status.TOOL_ERROR if answer is None else Status.OK
        observation = self._observe(f"{action.text}: not found" if answer is None else str(answer), sink)
        took = time.monotonic_ns() - mono
        return StepResult(
            observation=observation,
            outcome=Outcome(status=status),
            timing=Timing(started_at=started, ended_at=started + took // 1000, duration_ms=took / 1e6),
            state_after=await self.probe(),
            done=self._ends_after is not None and len(self.actions) >= self._ends_after,
        )

    async def probe(self) -> dict[str, Any] | None:
        """Return how many steps there were."""
        return {"steps": len(self.actions)}

    def parse(self, given: Any) -> Action | None:
        """Return a message of the text `given`; an empty one ends the recording."""
        return Action(kind="message", text=str(given)) if given else None

    def _observe(self, text: str, sink: Sink) -> Observation:
        data = text.encode()
        sink("text", data, time.monotonic_ns())
        self._received += len(data)
        return Observation(text=text, renderer=RENDERING, settled_by=SettledBy.EVENT, received={"text": self._received})


__all__ = ["RENDERING", "FakeEnvironment"]
