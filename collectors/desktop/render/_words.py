"""What is said of one node, in both renderers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from worldtape.collectors.desktop.tree import Place

_SAID = (
    "active", "focused", "selected", "checked", "indeterminate", "pressed", "expanded", "editable", "read-only",
    "required", "invalid-entry", "is-default", "modal", "busy",
)  # fmt: skip
"""States that are told by their own name, where they hold."""
_LAYOUT = frozenset({
    "filler", "panel", "scroll pane", "viewport", "split pane", "layered pane", "root pane", "redundant object",
    "section", "glass pane", "separator", "unknown", "grouping", "invalid",
})  # fmt: skip
"""Roles that only hold others: told where they have a name, a text or the focus."""
_LABELS = frozenset({"label", "static"})
_RANGED = frozenset({"slider", "scroll bar", "progress bar", "level bar", "spin button", "dial"})


def quoted(text: str) -> str:
    """Return a text in double quotes, with its line feeds and quotes escaped."""
    return json.dumps(text, ensure_ascii=False)


def says(node: dict[str, Any], place: Place, above: str) -> bool:
    """Say whether a node is worth a line below one that is called `above`."""
    role, name = node.get("role"), name_of(node)
    if role == "application" or "focused" in (node.get("states") or ()):
        return True
    if any(length <= 0 for length in (node.get("box") or ())[2:]):
        return False  # it takes no room: the unused halves of cells, empty tabs
    said = name or (text_of(node) or "").strip()
    if role in _LABELS:
        return bool(said) and name != above
    return bool(said) or (place.box is not None and role not in _LAYOUT)


def name_of(node: dict[str, Any]) -> str:
    """Return a node's name; "" where it has none."""
    return str(node.get("name") or "").strip()


def text_of(node: dict[str, Any]) -> str | None:
    """Return a node's text where it says more than its name; None where there is none to say."""
    text = node.get("text")
    if text is not None and "editable" in (node.get("states") or ()):
        return str(text)
    return str(text) if text and text != node.get("name") else None


def value_of(node: dict[str, Any]) -> str | None:
    """Return a node's value and its range."""
    value = node.get("value")
    if not value or value[0] is None or node.get("role") not in _RANGED:
        return None
    now, *ends = (f"{number:g}" for number in value if number is not None)
    return f"{now} ({ends[0]}..{ends[1]})" if len(ends) == 2 else now  # noqa: PLR2004 — least and greatest


def states_of(node: dict[str, Any]) -> Iterator[str]:
    """Give the states of a node that say something, and where its caret and its selection are."""
    states = node.get("states") or ()
    if node.get("role") == "application":
        return
    yield from (state for state in _SAID if state in states)
    if "expandable" in states and "expanded" not in states:
        yield "collapsed"
    if "sensitive" not in states and "enabled" not in states:
        yield "disabled"
    if "focused" in states and node.get("text") is not None:
        if (caret := node.get("caret")) is not None and caret >= 0:
            yield f"caret={caret}"
        if selection := node.get("selection"):
            yield f"selection={selection[0]}-{selection[1]}"
    if left := node.get("text_left_out"):
        yield f"{left} more characters"
    if left := node.get("children_left_out"):
        yield f"{left} more inside"


def out_of_sight(place: Place) -> str:
    """Return the word for what has no box on the screen."""
    return "off-screen" if place.showing else "hidden"


__all__ = ["name_of", "out_of_sight", "quoted", "says", "states_of", "text_of", "value_of"]
