"""Nodes of the dialects of a dump, in the same words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from worldtape.collectors.android.hierarchy import Hierarchy, Node

_BOUNDS = re.compile(r"\s*\[(-?\d+),(-?\d+)\]\s*\[(-?\d+),(-?\d+)\]\s*")
_NUMBER = re.compile(r"\s*(-?\d+(?:\.\d+)?)")
_ROOTS = frozenset({"hierarchy", "AppiumAUT", "app", "html"})
"""Elements that stand for the screen as a whole."""
_HIDDEN = frozenset({"alert", "title"})
"""What the fake driver keeps beside its screen."""
_TYPED = ("EditText", "AutoCompleteTextView", "MockInputField", "SearchAutoComplete")
_FAKE_CLICKED = frozenset({"MockButton", "MockInputField", "MockListItem"})
_FLAGS = (
    ("clickable", "clickable"), ("long_clickable", "long-clickable"), ("checkable", "checkable"),
    ("checked", "checked"), ("editable", "editable"), ("scrollable", "scrollable"), ("focused", "focused"),
    ("selected", "selected"), ("password", "password"),
)  # fmt: skip
"""Our word, and the attribute."""
_ORDER = (
    "clickable", "long_clickable", "checkable", "checked", "editable", "scrollable", "focused", "selected",
    "disabled", "password",
)  # fmt: skip
Bounds = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Seen:
    """A node that can be seen; see `Element` for its attributes.

    Attributes:
        leaf: there is nothing inside of it that can be seen.
    """

    cls: str
    text: str
    desc: str
    hint: str
    res: str
    package: str
    bounds: Bounds | None
    flags: tuple[str, ...]
    path: str
    leaf: bool


def seen(hierarchy: Hierarchy, size: tuple[int, int] | None = None) -> list[Seen | None]:
    """Return for every node what is to be told of it; None: it is not to be seen."""
    nodes = hierarchy.nodes
    boxes = [bounds_of(node) for node in nodes]
    screen = (0, 0, *size) if size else _biggest(boxes)
    showing: list[bool] = []
    for at, node in enumerate(nodes):
        around = node.parent is None or (showing[node.parent] and nodes[node.parent].tag != "MockWebView")
        showing.append(around and _shown(node, boxes[at], screen))
    return [
        _told(node, boxes[at], leaf=not any(showing[child] for child in hierarchy.children[at]))
        if showing[at] and node.tag not in _ROOTS
        else None
        for at, node in enumerate(nodes)
    ]


def bounds_of(node: Node) -> Bounds | None:
    """Return left, top, right and bottom of a node; None where it does not say."""
    if found := _BOUNDS.fullmatch(node.get("bounds")):
        left, top, right, bottom = (int(number) for number in found.groups())
        return (left, top, right, bottom)
    sides = [_number(node.get(name)) for name in ("left", "top", "width", "height")]
    if sides[2] is None or sides[3] is None:
        return None
    left, top = round(sides[0] or 0), round(sides[1] or 0)
    return (left, top, left + round(sides[2]), top + round(sides[3]))


def merged(node: Node, answered: Mapping[str, str]) -> Node:
    """Return a node with the attributes that the element itself answered."""
    return Node(node.tag, node.attributes | dict(answered), node.text, node.parent, node.depth, node.path)


def _told(node: Node, bounds: Bounds | None, *, leaf: bool) -> Seen:
    fake = node.tag.startswith("Mock") or "class" not in node.attributes
    cls = node.get("class") or node.tag
    text = node.get("text") or node.text
    typed = cls.endswith(_TYPED)
    if fake:
        text = node.get("value") if typed else node.get("value") or text or node.get("label")
    return Seen(
        cls=cls,
        text=text,
        desc=node.get("content-desc") or (node.get("name") if fake else ""),
        hint=node.get("hint"),
        res=node.get("resource-id") or (node.get("id") if fake else ""),
        package=node.get("package"),
        bounds=bounds,
        flags=_flags(node, typed=typed),
        path=node.path,
        leaf=leaf,
    )


def _flags(node: Node, *, typed: bool) -> tuple[str, ...]:
    held = {word for word, attribute in _FLAGS if node.holds(attribute)}
    if typed:
        held.add("editable")
    if node.tag in _FAKE_CLICKED:
        held.add("clickable")
    if node.get("enabled") == "false":
        held.add("disabled")
    clicks = node.get("clicks")
    return (*(word for word in _ORDER if word in held), *((f"clicks={clicks}",) if clicks else ()))


def _shown(node: Node, box: Bounds | None, screen: Bounds | None) -> bool:
    if node.tag in _HIDDEN or node.get("displayed") == "false" or node.get("visible") == "false":
        return False
    if box is None or node.tag in _ROOTS:
        return True
    if box[2] <= box[0] or box[3] <= box[1]:
        return False
    return screen is None or (box[0] < screen[2] and box[1] < screen[3] and box[2] > screen[0] and box[3] > screen[1])


def _biggest(boxes: list[Bounds | None]) -> Bounds | None:
    right = max((box[2] for box in boxes if box), default=0)
    bottom = max((box[3] for box in boxes if box), default=0)
    return (0, 0, right, bottom) if right > 0 and bottom > 0 else None


def _number(text: str) -> float | None:
    found = _NUMBER.match(text)
    return float(found[1]) if found else None


__all__ = ["Bounds", "Seen", "bounds_of", "merged", "seen"]
