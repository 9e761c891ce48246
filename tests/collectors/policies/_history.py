"""A history to show to a policy."""

from __future__ import annotations

from typing import Any

from worldtape.schemas import (
    Action,
    EnvironmentSpec,
    History,
    InitialState,
    Observation,
    Outcome,
    Ready,
    Rendering,
    Status,
    StepResult,
    Task,
    Timing,
)

RENDERING = Rendering(name="terminal.screen", version="1")


def history(*turns: tuple[Action, str], task: str = "Count the files.") -> tuple[History, list[dict[str, Any]]]:
    """Return a history with these actions and screens, and the list that its thoughts go to."""
    thoughts: list[dict[str, Any]] = []
    ready = Ready(
        environment=EnvironmentSpec(kind="terminal", parameters={"cols": 100, "rows": 30}),
        initial_state=InitialState(text="OS: Debian"),
        observation=Observation(text="$ ", renderer=RENDERING),
    )
    made = History(ready, Task(id="t/1", instruction=task), thoughts.append)
    made.turns += [(action, result(screen)) for action, screen in turns]
    return made, thoughts


def result(screen: str, exit_code: int | None = 0, **more: Any) -> StepResult:
    return StepResult(
        observation=Observation(text=screen, renderer=RENDERING),
        outcome=Outcome(status=Status.TOOL_ERROR if exit_code else Status.OK, exit_code=exit_code),
        timing=Timing(),
        **more,
    )
