"""Given steps on a desktop: code, or verbs aimed at widgets by role and name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldtape.collectors.policies.explore_desktop.say import say
from worldtape.collectors.policies.explore_desktop.scene import Scene
from worldtape.collectors.policies.explore_desktop.step import Step
from worldtape.errors import ConfigError, InputError
from worldtape.schemas import Action, History, PolicySpec

_AIMED = {"click", "double", "drag", "fill", "hover", "right", "scroll"}
_VALUED = {"fill", "scroll"}
_PLAIN = {"hotkey", "press", "start", "write"}
_FORM = "write {click: {push button: Save}}, {fill: {text: Name}, value: …}, {hotkey: [ctrl, s]} or a string of code"


def read_step(given: str | Mapping[str, Any]) -> Step:
    """Read one step.

    Args:
        given: code as text; or a mapping whose first key is the verb: `click`, `double`, `right`, `hover`, `drag`,
            `fill`, `scroll` with `{role: name}` (`nth`, from 0, chooses among those alike in the window in front;
            `value` is the text, or clicks of the wheel), or `write: text`, `press: key`, `hotkey: [keys]`,
            `start: [program, argument]`.

    Raises:
        ConfigError: it is nothing of that.
    """
    if isinstance(given, str):
        return Step("code", value=given)
    verb = str(next(iter(given), ""))
    if verb in _PLAIN and len(given) == 1:
        value = given[verb]
        listed = isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)
        if listed if verb in {"hotkey", "start"} else isinstance(value, (str, int)):
            return Step(verb, value=tuple(value) if listed else str(value))
    aim = given.get(verb) if verb in _AIMED else None
    if not isinstance(aim, Mapping) or len(aim) != 1 or given.keys() - {verb, "nth", "value"}:
        raise ConfigError(f"{dict(given)!r:.100} is no step on a desktop", fix=_FORM)
    if (verb in _VALUED) != ("value" in given):
        needs = "needs a" if verb in _VALUED else "takes no"
        raise ConfigError(f"{verb} {needs} value: {dict(given)!r:.100}", fix=_FORM)
    role, name = next(iter(aim.items()))
    return Step(verb, str(role), "" if name is None else str(name), int(given.get("nth", 0)), given.get("value"))


class DesktopScript:
    """Plays steps one after the other; each is looked up in the window that is in front then.

    Args:
        steps: see `read_step`.
    """

    action_kinds = frozenset({"python"})

    def __init__(self, steps: Sequence[str | Mapping[str, Any]]) -> None:
        self.spec = PolicySpec(kind="script", parameters={"actions": len(steps)})
        self._steps = [read_step(step) for step in steps]

    async def next(self, history: History) -> Action | None:
        """Return the next action, None at the end.

        Raises:
            InputError: the window in front has no widget as the step names it.
        """
        at = len(history.turns)
        if at >= len(self._steps):
            return None
        step, scene = self._steps[at], Scene(history.tree or {})
        widget = scene.find(step.role, step.name, step.nth) if step.role else None
        if step.role and widget is None:
            alike = sorted({one.name for one in scene.inside if one.role == step.role})
            fix = f"of this role: {', '.join(alike)[:200] or 'none'}"
            what = f"step {at + 1}: {scene.window or 'the window in front'} has no {step.role} {step.name!r}"
            raise InputError(what, where="script", fix=fix)
        return say(step, widget)


__all__ = ["DesktopScript", "read_step"]
