"""Screens written by hand, and a device that always shows the same."""

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
    Timing,
)


def node(cls: str, text: str = "", *, inside: str = "", **given: Any) -> str:
    said = {"class": f"android.widget.{cls}", "text": text, "bounds": "[0,0][90,40]"} | {
        name.replace("_", "-"): str(found).lower() if isinstance(found, bool) else found
        for name, found in given.items()
    }
    attributes = " ".join(f'{name}="{found}"' for name, found in said.items())
    return f"<node {attributes}>{inside}</node>"


def capture(*nodes: str, **more: Any) -> dict[str, Any]:
    return {"source": f"<hierarchy>{''.join(nodes)}</hierarchy>", "size": [412, 915], "state": {"app": "Notes"}} | more


MENU = capture(
    *(node("Button", f"Item {index}", clickable=True) for index in range(4)),
    node("LinearLayout", clickable=True, inside=node("TextView", "Ada") + node("TextView", "030 555")),
    node("Button", "Off", clickable=True, enabled=False),
)
FORM = capture(
    node("TextView", "Your name"),
    node("EditText", hint="First and last", clickable=True),
    node("TextView", "E-mail"),
    node("EditText", "old", clickable=True, resource_id="mail"),
    node("Button", "Save", clickable=True),
)


class Shown:
    """A screen that never changes."""

    def __init__(self, tree: Any) -> None:
        observation = Observation(text="", renderer=Rendering(name="android.elements", version="1"))
        self.observation = observation
        ready = Ready(
            environment=EnvironmentSpec(kind="android"), initial_state=InitialState(), observation=observation
        )
        self.history = History(ready, None, lambda _: None, lambda: tree)

    def answer(self, action: Action, status: Status = Status.OK) -> None:
        timing = Timing(started_at=0, ended_at=0, duration_ms=0)
        result = StepResult(observation=self.observation, outcome=Outcome(status=status), timing=timing)
        self.history.turns.append((action, result))
