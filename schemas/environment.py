"""The seam between a recorder and anything that can be acted upon."""

from types import TracebackType
from typing import Any, Protocol, Self

from worldtape.schemas.action import Action
from worldtape.schemas.environment_spec import EnvironmentSpec
from worldtape.schemas.ready import Ready
from worldtape.schemas.sink import Sink
from worldtape.schemas.step_result import StepResult


class Environment(Protocol):
    """Something that answers actions with observations; it knows nothing of tapes.

    It is an async context manager: entering starts the backend, leaving removes it, whatever happened.
    A failure of the backend is an outcome (`infra_error`), not an exception; only a failed start raises
    `worldtape.errors.ComponentError`.

    Three attributes are used where they are there: `domain` (a `Domain`; without it `spec.kind` must be one), and
    `parse(given) -> Action | None`, by which a recorder takes more than `Action` objects (None ends the recording),
    and `until`, the moment (monotonic s) at which a recorder wants the last observation: without it, a step that takes
    longer is cancelled and has no result.
    """

    spec: EnvironmentSpec
    """What was asked for."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def reset(self, sink: Sink) -> Ready:
        """Bring the environment to its start and observe it."""
        ...

    async def step(self, action: Action, sink: Sink) -> StepResult:
        """Carry out `action`; everything read on the way goes through `sink` first."""
        ...

    async def probe(self) -> dict[str, Any] | None:
        """Look at the state by a channel the policy cannot see; null when that fails."""
        ...
