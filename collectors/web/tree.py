"""The kept tree of a page, read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from worldtape.collectors.web.merge import ACTIVE
from worldtape.schemas import Target

Box = tuple[float, float, float, float]
_STATES = (
    "checked", "pressed", "selected", "expanded", "disabled", "focused", "required", "readonly", "invalid", "modal",
    "hasPopup", "multiselectable", "valuemin", "valuemax",
)  # fmt: skip
_ALWAYS_SAID = {"invalid": "false"}


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a page that has an id.

    Attributes:
        id: as `web.axtree` shows it: `12`, or `a12` in the first frame.
        ref: as `web.snapshot` shows it: `e12`, or `f1e12` in a frame.
        role: its role as Chromium computes it.
        name: its accessible name.
        box: left, top, width, height in CSS pixels of the viewport; None where it has none.
        value: text of a field, choice of a list; None where it has none.
        states: of `checked`, `expanded`, `disabled`, … those that hold or are said.
        tag: name of the HTML element.
        attributes: its HTML attributes.
        parent: id of the nearest element around it.
        selector: for Playwright's `page.locator`; only where `active`.
        active: it is there to be acted upon: a link, button, field, anything focusable or with a click handler.
        text: the text in it, joined.
    """

    id: str
    ref: str
    role: str
    name: str
    box: Box | None = None
    value: str | None = None
    states: dict[str, Any] = field(default_factory=dict)
    tag: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    parent: str | None = None
    selector: str | None = None
    active: bool = False
    text: str = ""

    @property
    def disabled(self) -> bool:
        """Whether it takes no action."""
        return bool(self.states.get("disabled"))

    def target(self) -> Target:
        """Return what an action on it keeps, since ids drift."""
        return Target(id=self.id, role=self.role, name=self.name, box=self.box, selector=self.selector)


def read_tree(line: bytes | str) -> dict[str, Any]:
    """Return the tree of one line of the channel `tree`; {} where it is none."""
    try:
        found = orjson.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def elements(tree: dict[str, Any] | bytes | str) -> list[Element]:
    """Return the elements of a tree (a line of the channel `tree`) in the order of the page."""
    raw = tree if isinstance(tree, dict) else read_tree(tree)
    nodes = raw.get("nodes") or []
    frames = raw.get("frames") or []
    found: list[Element] = []
    for at, parent in walk(nodes):
        node = nodes[at]
        if "n" not in node:
            continue
        above = None if parent is None else id_of(nodes[parent], frames)
        found.append(
            Element(
                id=id_of(node, frames),
                ref=ref_of(node),
                role=node["role"],
                name=node["name"],
                box=tuple(node["box"]) if "box" in node else None,
                value=None if node.get("value") is None else str(node["value"]),
                states=states_of(node),
                tag=node.get("tag", ""),
                attributes=node.get("attrs", {}),
                parent=above,
                selector=node.get("selector"),
                active="selector" in node and (node["role"] in ACTIVE or "clickable" in node or _focusable(node)),
                text=text_of(nodes, at),
            )
        )
    return found


def walk(nodes: list[dict[str, Any]]) -> Iterator[tuple[int, int | None]]:
    """Give the index of every node in the order of the page, with that of the nearest numbered node around it."""
    stack: list[tuple[int, int | None]] = [(0, None)] if nodes else []
    while stack:
        at, parent = stack.pop()
        yield at, parent
        below = at if "n" in nodes[at] else parent
        stack.extend((child, below) for child in reversed(nodes[at].get("children", ())))


def id_of(node: dict[str, Any], frames: list[dict[str, Any]]) -> str:
    """Return the id of a numbered node: letters of its frame, and its number."""
    frame = node.get("f", 0)
    return f"{frames[frame]['prefix'] if frame < len(frames) else ''}{node['n']}"


def ref_of(node: dict[str, Any]) -> str:
    """Return the reference of a numbered node as Playwright-MCP words it."""
    frame = node.get("f", 0)
    return f"f{frame}e{node['n']}" if frame else f"e{node['n']}"


def states_of(node: dict[str, Any]) -> dict[str, Any]:
    """Return the states of a node that say something."""
    properties = node.get("props", {})
    return {
        name: properties[name]
        for name in _STATES
        if name in properties and properties[name] not in (_ALWAYS_SAID.get(name), None, "")
    }


def text_of(nodes: list[dict[str, Any]], at: int) -> str:
    """Return the texts below a node, joined by spaces."""
    texts: list[str] = []
    stack = [at]
    while stack:
        node = nodes[stack.pop()]
        if node["role"] == "StaticText" and not node.get("ignored"):
            texts.append(node["name"].strip())
        stack.extend(reversed(node.get("children", ())))
    return " ".join(text for text in texts if text)


def _focusable(node: dict[str, Any]) -> bool:
    return bool(node.get("props", {}).get("focusable"))


__all__ = ["Box", "Element", "elements", "id_of", "read_tree", "ref_of", "states_of", "text_of", "walk"]
