"""A policy of tools, played against functions that answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from worldtape.collectors.policies.explore_tools import ExploreTools
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
    Tool,
)

Answer = tuple[bool, str, Any]
"""Whether it worked, the text, and the state after it (None: nobody knows)."""
RENDERING = Rendering(name="mcp.result", version="1")


def tool(name: str, properties: dict[str, Any], *required: str, **more: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(required), **more}
    return Tool(name=name, input_schema=json.dumps(schema))


def play(
    policy: ExploreTools, tools: list[Tool], answer: Callable[[Action], Answer], *, steps: int = 40, task: str = ""
) -> tuple[list[Action], list[dict[str, Any]]]:
    """Return the actions, and what the policy thought."""
    thoughts: list[dict[str, Any]] = []
    ready = Ready(
        environment=EnvironmentSpec(kind="mcp", tools=tuple(tools)),
        initial_state=InitialState(text="MCP server: test"),
        observation=Observation(text="", renderer=RENDERING),
    )
    history = History(ready, Task(id="t", instruction=task) if task else None, thoughts.append)

    async def run() -> list[Action]:
        while len(history.turns) < steps and (action := await policy.next(history)) is not None:
            worked, text, state = answer(action)
            result = StepResult(
                observation=Observation(text=text, renderer=RENDERING),
                outcome=Outcome(status=Status.OK if worked else Status.TOOL_ERROR),
                timing=Timing(),
                state_after=None if state is None else {"state": state},
            )
            history.turns.append((action, result))
        return [action for action, _ in history.turns]

    return asyncio.run(run()), thoughts


def arguments(action: Action) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(action.arguments or "null")
    return found
