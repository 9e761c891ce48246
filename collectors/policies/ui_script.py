"""Given steps on a device, aimed at elements by what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldtape.collectors.android.actions import Aimed, Move, read_move, ui_action
from worldtape.collectors.android.elements import Element
from worldtape.collectors.android.screen import Screen
from worldtape.errors import ConfigError, InputError
from worldtape.schemas import Action, History, PolicySpec

_BY = {"class": "cls", "desc": "desc", "id": "res", "text": "text"}
_FORM = 'write {"action_type": "click", "selector": "text=Save"}'


def read_step(given: str | Mapping[str, Any]) -> tuple[str, Move]:
    """Read one step: an action as a device takes it, a mapping or its JSON.

    Raises:
        ConfigError: it is none.
    """
    try:
        return read_move(given)
    except InputError as error:
        raise ConfigError(f"{given!r:.100} is no step on a device: {error.what}", fix=_FORM) from error


class UiScript:
    """Plays steps one after the other.

    A selector is looked up on the screen as it is then, and becomes the index of the element, which is what an agent
    would say; `name=…` takes any of text, description, hint and id.

    Args:
        steps: see `read_step`.
    """

    action_kinds = frozenset({"ui_action"})

    def __init__(self, steps: Sequence[str | Mapping[str, Any]]) -> None:
        self.spec = PolicySpec(kind="script", parameters={"actions": len(steps)})
        self._steps = [read_step(step) for step in steps]

    async def next(self, history: History) -> Action | None:
        """Return the next action, None at the end.

        Raises:
            InputError: the screen has no element as the step names it.
        """
        at = len(history.turns)
        if at >= len(self._steps):
            return None
        name, move = self._steps[at]
        said = {"action_type": name} | move.model_dump(mode="json", exclude_unset=True)
        if not isinstance(move, Aimed) or move.selector is None or move.selector.startswith("xpath="):
            return ui_action(said)
        elements = Screen.of(history.tree or {}).elements
        element = _find(elements, move.selector)
        if element is None:
            there = ", ".join(repr(one.name) for one in elements if one.name)[:200]
            raise InputError(f"step {at + 1}: no element has {move.selector}", where="script", fix=f"there: {there}")
        del said["selector"]
        return ui_action(said | {"index": element.index}, target=element.target())


def _find(elements: list[Element], selector: str) -> Element | None:
    by, _, value = selector.partition("=")
    if by == "name":
        return next((one for one in elements if value in (one.text, one.desc, one.hint, one.res)), None)
    return next((one for one in elements if getattr(one, _BY.get(by, by), None) == value), None)


__all__ = ["UiScript", "read_step"]
