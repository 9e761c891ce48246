"""Steps as actions of a device."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.android.actions import ui_action
from worldtape.collectors.android.elements import Element
from worldtape.collectors.policies.explore_ui.step import Step
from worldtape.collectors.policies.explore_ui.view import View
from worldtape.schemas import Action


def say(step: Step, element: Element | None, view: View) -> Action:
    """Return the action of a step.

    Args:
        step: `raw` passes on what it holds.
        element: the one that the step names.
        view: the screen it is on.
    """
    if step.verb == "raw":
        return ui_action(step.given)
    given: dict[str, Any] = {"action_type": step.verb, **step.given}
    if element is not None:
        given |= _aim(step, element, view)
    return ui_action(given, target=view.screen.target(element) if element is not None else None)


def _aim(step: Step, element: Element, view: View) -> dict[str, Any]:
    if step.by == "point" and element.center is not None:
        return {"x": element.center[0], "y": element.center[1]}
    if step.by == "selector":
        for name, found in (("id", element.res), ("text", element.text), ("desc", element.desc)):
            alone = [one for one in view.all if found in (one.res, one.text, one.desc)] == [element]
            if found and alone:
                return {"selector": f"{name}={found}"}
    return {"index": element.index}
