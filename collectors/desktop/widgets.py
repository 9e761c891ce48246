"""What on a desktop can be acted upon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldtape.collectors.desktop.tree import Box, Place, around, children, places, read_tree
from worldtape.schemas import Target

_LIVE = frozenset({
    "check box", "check menu item", "combo box", "editbar", "entry", "hyper link", "icon", "link", "list item", "menu",
    "menu item", "page tab", "paragraph", "password text", "push button", "push button menu", "radio button",
    "radio menu item", "scroll bar", "slider", "spin button", "switch", "table cell", "table column header",
    "tear off menu item", "terminal", "text", "toggle button", "tree item",
})  # fmt: skip
"""Roles that answer a pointer or keys."""


@dataclass(frozen=True, slots=True)
class Widget:
    """One element that shows, wholly or in part, and takes actions.

    Attributes:
        at: its index in the tree's `nodes`.
        role: as AT-SPI names it.
        name: what it is called; "" where nothing says.
        box: the part that can be seen, pixels of the screen.
        states: as AT-SPI names them.
        window: the name of its window.
        top: the index of its window in `nodes`.
        application: the name of its program.
        text: what stands in it; None where it holds no text.
        value: now, least and greatest; () where it has none.
    """

    at: int
    role: str
    name: str
    box: Box
    states: frozenset[str]
    window: str
    top: int
    application: str
    text: str | None = None
    value: tuple[float, ...] = ()

    @property
    def enabled(self) -> bool:
        """Whether it takes actions now."""
        return not self.states.isdisjoint(("sensitive", "enabled"))

    @property
    def typed(self) -> bool:
        """Whether text can be put into it."""
        return "editable" in self.states and self.text is not None

    @property
    def centre(self) -> tuple[int, int]:
        """The middle of what can be seen of it."""
        left, top, width, height = self.box
        return left + width // 2, top + height // 2

    def target(self) -> Target:
        """Return what an action on it keeps."""
        left, top, width, height = self.box
        return Target(id=str(self.at), role=self.role, name=self.name, box=(left, top, width, height))


def widgets(raw: dict[str, Any] | bytes | str) -> list[Widget]:
    """Return the elements of a tree (or of a line of the channel `tree`) that show and take actions, in its order.

    One that is disabled is among them (`enabled`); one that is off-screen is not.
    """
    tree = raw if isinstance(raw, dict) else read_tree(raw)
    below = children(tree)
    return [
        _widget(tree, place, below)
        for node, place in zip(tree.get("nodes") or (), places(tree), strict=True)
        if place.showing and place.box is not None and place.top is not None and _takes_actions(tree, node)
    ]


def widget_at(tree: dict[str, Any], x: float, y: float) -> Widget | None:
    """Return the innermost widget at a point of the screen, in the highest window there; None where there is none."""
    found = [one for one in widgets(tree) if _holds(one.box, x, y)]
    if not found:
        return None
    order = {top: level for level, top in enumerate(stacked(tree))}
    return max(found, key=lambda one: (order.get(one.top, 0), -one.box[2] * one.box[3], one.at))


def stacked(tree: dict[str, Any]) -> list[int]:
    """Return the indices of the windows in `nodes`, lowest first: as the window manager has them, pop-ups above all."""
    nodes = tree.get("nodes") or []
    order = [str(window.get("title") or "") for window in tree.get("windows") or ()]
    tops = [place.at for place in places(tree) if place.top == place.at and place.showing]

    def level(at: int) -> tuple[bool, bool, int]:
        name = str(nodes[at].get("name") or "")
        active = "active" in (nodes[at].get("states") or ())
        known = name in order
        return (
            not known and not active,
            active,
            max(i for i, title in enumerate(order) if title == name) if known else -1,
        )

    return sorted(tops, key=level)


def _takes_actions(tree: dict[str, Any], node: dict[str, Any]) -> bool:
    role, parent = node.get("role"), node.get("parent")
    if role == "icon" and isinstance(parent, int):  # the picture in a button, in a field
        return tree["nodes"][parent].get("role") not in _LIVE
    return role in _LIVE


def _holds(box: Box, x: float, y: float) -> bool:
    return box[0] <= x < box[0] + box[2] and box[1] <= y < box[1] + box[3]


def _widget(tree: dict[str, Any], place: Place, below: list[list[int]]) -> Widget:
    nodes = tree["nodes"]
    node = nodes[place.at]
    assert place.box is not None
    assert place.top is not None
    applications = (
        str(nodes[at].get("name") or "") for at in around(tree, place.at) if nodes[at].get("role") == "application"
    )
    return Widget(
        at=place.at,
        role=str(node["role"]),
        name=_name(nodes, place.at, below),
        box=place.box,
        states=frozenset(node.get("states") or ()),
        window=str(nodes[place.top].get("name") or ""),
        top=place.top,
        application=next(applications, ""),
        text=node.get("text"),
        value=tuple(number for number in node.get("value") or () if number is not None),
    )


def _name(nodes: list[dict[str, Any]], at: int, below: list[list[int]]) -> str:
    """Return an element's name: its own, its text where nobody edits it, or that of the first label in it."""
    name, text = str(nodes[at].get("name") or "").strip(), str(nodes[at].get("text") or "").strip()
    if name or "editable" in (nodes[at].get("states") or ()):
        return name
    if text:
        return text.partition("\n")[0][:80]
    for inner in below[at]:
        if nodes[inner].get("role") in {"label", "static", "image", "icon"} and nodes[inner].get("name"):
            return str(nodes[inner]["name"]).strip()
    return str(nodes[at].get("description") or "").strip()


__all__ = ["Widget", "stacked", "widget_at", "widgets"]
