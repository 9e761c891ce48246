"""Given steps on a device, aimed at elements by class and label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldtape.collectors.android.actions import ui_action
from worldtape.collectors.android.elements import Element
from worldtape.collectors.policies.explore_ui.view import View
from worldtape.errors import ConfigError, InputError
from worldtape.schemas import Action, History, PolicySpec

_AIMED = frozenset({"click", "input_text", "long_press", "scroll"})
_PLAIN = {
    "back": None,
    "enter": None,
    "home": None,
    "open_app": "app_name",
    "scroll": "direction",
    "swipe": "direction",
    "wait": "seconds",
}
"""Verb to what its value is called in the action."""
_FORM = "write {click: {Button: Save}}, {input_text: {EditText: Name}, text: …}, {open_app: Larder}, {back: } or JSON"


class UiScript:
    """Plays steps one after the other; each is looked up on the screen as it is then.

    A step is the JSON of an action, passed on as it stands, or a mapping whose first key is the action. Where that is
    aimed its value is `{class: label}`: the class without its package; the label an element's text, description, hint,
    id or, for a field, a word of the text before it. `nth` (from 0) chooses among those alike; other keys are the
    action's own (`text`, `clear_text`, `direction`).

    Args:
        steps: see above.

    Raises:
        ConfigError: a step is nothing of that.
    """

    action_kinds = frozenset({"ui_action"})

    def __init__(self, steps: Sequence[str | Mapping[str, Any]]) -> None:
        self.spec = PolicySpec(kind="script", parameters={"actions": len(steps)})
        self._steps = [step if isinstance(step, str) else _checked(step) for step in steps]

    async def next(self, history: History) -> Action | None:
        """Return the next action, None at the end.

        Raises:
            InputError: the screen has no element as the step names it.
        """
        at = len(history.turns)
        if at >= len(self._steps):
            return None
        step = self._steps[at]
        if isinstance(step, str):
            return ui_action(step)
        verb = next(iter(step))
        given: dict[str, Any] = {"action_type": verb} | {name: step[name] for name in step if name not in (verb, "nth")}
        if not isinstance(step[verb], Mapping):
            name = _PLAIN[verb]
            return ui_action(given | ({name: step[verb]} if name else {}))
        (cls, label), view = next(iter(step[verb].items())), View.of(history.tree or {})
        found = [one for one in view.all if one.short == cls and _called(view, one, str(label))]
        nth = int(step.get("nth", 0))
        if nth >= len(found):
            alike = [view.label(one) for one in view.all if one.short == cls]
            fix = f"of this class: {', '.join(alike)[:200] or 'none'}"
            raise InputError(f"step {at + 1}: the screen has no {cls} {label!r}", where="script", fix=fix)
        return ui_action(given | {"index": found[nth].index}, target=view.screen.target(found[nth]))


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    verb = next(iter(given), None)
    value = given.get(verb) if verb is not None else None
    aimed = verb in _AIMED and isinstance(value, Mapping) and len(value) == 1
    if not aimed and (verb not in _PLAIN or isinstance(value, (Mapping, list))):
        raise ConfigError(f"{dict(given)!r:.100} is no step on a device", fix=_FORM)
    return dict(given)


def _called(view: View, element: Element, label: str) -> bool:
    words = (element.text, element.desc, element.hint, element.res, view.label(element))
    return label in words or (element.is_("editable") and label in view.caption(element))


__all__ = ["UiScript"]
