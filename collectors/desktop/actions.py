"""What an action on a desktop is, and which element it is aimed at."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from worldtape.collectors.desktop.widgets import widget_at
from worldtape.schemas import Action, Target

_AIMED = {
    *("click", "doubleClick", "tripleClick", "rightClick", "middleClick", "leftClick"),
    *("moveTo", "dragTo", "mouseDown", "mouseUp", "scroll", "hscroll", "vscroll"),
}
_SCROLLS = {"scroll", "hscroll", "vscroll"}


def python_action(code: str, tree: Mapping[str, Any] | None = None) -> Action:
    """Return the action that runs `code`; of a tree, the element at the first point that it names is its target."""
    return Action(kind="python", text=code, target=None if not tree else target_of(code, tree))


def target_of(code: str, tree: Mapping[str, Any]) -> Target | None:
    """Return the element at the first point that `code` names in plain numbers; None: it names none there."""
    point = _point(code)
    found = None if point is None else widget_at(dict(tree), *point)
    return None if found is None else found.target()


def _point(code: str) -> tuple[float, float] | None:
    try:
        calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    return next((point for call in calls if (point := _aim(call)) is not None), None)


def _aim(call: ast.Call) -> tuple[float, float] | None:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name not in _AIMED:
        return None
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    placed = call.args[1:] if name in _SCROLLS else call.args
    x = placed[0] if placed else named.get("x")
    y = placed[1] if len(placed) > 1 else named.get("y")
    if isinstance(x, ast.Tuple) and y is None and len(x.elts) == 2:  # noqa: PLR2004 — a point
        x, y = x.elts
    across, down = _number(x), _number(y)
    return None if across is None or down is None else (across, down)


def _number(node: ast.AST | None) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, (int, float)) else None


__all__ = ["python_action", "target_of"]
