"""Code for what is to be done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worldtape.collectors.desktop.widgets import Widget
from worldtape.collectors.policies.explore_desktop.step import Step
from worldtape.schemas import Action

Point = tuple[int, int]


def say(step: Step, widget: Widget | None, point: Point = (0, 0)) -> Action:
    """Return the action of a step.

    Args:
        step: `click`, `double`, `right`, `hover`, `fill` (click, select all, write), `write`, `press`, `hotkey`,
            `scroll` (clicks of the wheel, down where negative), `drag` (from one edge to the other), `code`, `start`.
        widget: the one that the step names.
        point: where to act when it names none.
    """
    where = widget.centre if widget is not None else point
    code = _CODE[step.verb](step.value, where, widget)
    return Action(kind="python", text=code, target=None if widget is None else widget.target())


def _call(name: str, *values: Any, **named: Any) -> str:
    given = [*(repr(value) for value in values), *(f"{name}={value!r}" for name, value in named.items())]
    return f"pyautogui.{name}({', '.join(given)})"


def _fill(value: Any, where: Point, _: Widget | None) -> str:
    return "\n".join((_call("click", *where), _call("hotkey", "ctrl", "a"), _call("write", value)))


def _drag(value: Any, where: Point, widget: Widget | None) -> str:
    if isinstance(value, (tuple, list)) or widget is None:
        end = (where[0] + value[0], where[1] + value[1]) if value else where
        return "\n".join((_call("moveTo", *where), _call("dragTo", *end, button="left")))
    left, top, width, height = widget.box
    start, end = (left + 3, top + min(9, height // 2)), (left + width * 2 // 3, top + min(9, height // 2))
    return "\n".join((_call("moveTo", *start), _call("dragTo", *end, button="left")))


_CODE: dict[str, Callable[[Any, Point, Widget | None], str]] = {
    "click": lambda _, where, __: _call("click", *where),
    "code": lambda value, *_: str(value),
    "double": lambda _, where, __: _call("doubleClick", *where),
    "drag": _drag,
    "fill": _fill,
    "hotkey": lambda value, *_: _call("hotkey", *value),
    "hover": lambda _, where, __: _call("moveTo", *where),
    "press": lambda value, *_: _call("press", value),
    "right": lambda _, where, __: _call("rightClick", *where),
    "scroll": lambda value, where, _: _call("scroll", value, *where),
    "start": lambda value, *_: f"import subprocess\n\nsubprocess.Popen({list(value)!r})",
    "write": lambda value, *_: _call("write", value),
}

VERBS = frozenset(_CODE)

__all__ = ["VERBS", "say"]
