"""The kept tree of a desktop: what one line of the channel `tree` holds.

One JSON object per capture, written raw, as AT-SPI and the X server said it; keys that say nothing may be left out:

    {
      "screen": [1280, 800],                      width and height in pixels
      "pointer": [640, 400],
      "windows": [                                of the window manager, lowest first
        {"id": 12582915, "title": "notes.txt - Mousepad", "class": "mousepad", "box": [left, top, width, height],
         "active": true, "pid": 41, "hidden": false, "modal": false}
      ],
      "nodes": [                                  every accessible, parents before their children (pre-order)
        {"parent": null, "role": "application", "name": "mousepad", "pid": 41, "toolkit": "gtk 3.24.38"},
        {"parent": 0, "role": "frame", "name": "notes.txt - Mousepad", "states": ["active", "showing", "visible", …],
         "box": [0, 22, 640, 480]},
        {"parent": 1, "role": "text", "name": "", "states": ["editable", "focused", "multi-line", …],
         "box": [0, 47, 640, 400], "text": "hello", "caret": 5, "selection": [0, 5]},
        {"parent": 1, "role": "slider", "name": "Zoom", "value": [1.0, 0.0, 10.0], …}
      ],
      "action": {"output": "…", "error": "Traceback (most recent call last): …"},
      "gone": "display"
    }

- `role`: AT-SPI's role name (`push button`). `states`: AT-SPI's nicks, sorted (`multi-line`). `box`: extents in
  coordinates of the screen as they come, −2147483648 and all; absent where there is no component.
- `text`: what the Text interface gives (absent where there is none), with `text_left_out`: characters cut from its end.
- `description`, `actions` (their names), `value` (now, least, greatest), `attributes` (name to string): where there.
- `children_left_out`: children of this node that were not walked (tables of a million cells, a limit of nodes).
- `flags`, of the whole: what went wrong while walking (`node_gone`, `walk_deadline`, `node_limit`, `application_mute`,
  `changed_while_read`).
- `action`: what the code before this capture printed, and the traceback it ended with; absent for the first capture.
- `gone`: `display`, `session` or `container` where nothing can be looked at any more; there are no `nodes` then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

Box = tuple[int, int, int, int]
"""Left, top, width, height in pixels of the screen."""
_NOWHERE = -(2**31)
_BOUNDING = frozenset({"scroll pane", "viewport", "frame", "dialog", "file chooser", "alert", "window", "table"})
"""What is inside of these cannot be seen beyond them (a menu's items do stand outside of the menu's own box)."""
TOP = frozenset({"frame", "dialog", "file chooser", "alert", "window", "color chooser", "font chooser"})
"""Roles of windows, where they stand right below an application."""


def read_tree(line: bytes | str) -> dict[str, Any]:
    """Return the tree of one line of the channel `tree`; {} where it is none."""
    try:
        found = orjson.loads(line)
    except ValueError:
        found = _lenient(line)
    return found if isinstance(found, dict) else {}


def _lenient(line: bytes | str) -> Any:
    """Read what orjson does not: a value that is no number, half of a character; null where it is no JSON."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def common(first: Box, second: Box) -> Box | None:
    """Return what two boxes share; None where that is nothing."""
    left, top = max(first[0], second[0]), max(first[1], second[1])
    right = min(first[0] + first[2], second[0] + second[2])
    bottom = min(first[1] + first[3], second[1] + second[3])
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None


def screen_of(tree: dict[str, Any]) -> Box:
    """Return the whole screen as a box."""
    width, height = (tree.get("screen") or (_SIZE, _SIZE))[:2]
    return (0, 0, width, height)


_SIZE = 2**15


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node is to be found.

    Attributes:
        at: its index in `nodes`.
        showing: whether AT-SPI says that it shows and everything around it does.
        box: the part of its box that can be seen; None: it is off-screen.
        top: the index of its window; None for an application.
    """

    at: int
    showing: bool
    box: Box | None
    top: int | None


def places(tree: dict[str, Any]) -> list[Place]:
    """Return where the nodes of a tree are, in their order; a node whose parent is not before it stands at the top."""
    nodes = tree.get("nodes") or []
    screen = screen_of(tree)
    found: list[Place] = []
    bounds: list[Box | None] = []
    for at, node in enumerate(nodes):
        parent = node.get("parent")
        above = found[parent] if isinstance(parent, int) and 0 <= parent < at else None
        bound = screen if above is None else bounds[above.at]
        states = node.get("states") or ()
        application = node.get("role") == "application"
        showing = application or ("showing" in states and (above is None or above.showing))
        own = extents(node)
        box = None if own is None or bound is None or not showing else common(own, bound)
        top = None if above is None else above.top
        if top is None and not application:
            top = at
        found.append(Place(at, showing, box, top))
        bounds.append(box if node.get("role") in _BOUNDING and own is not None else bound)
    return found


def extents(node: dict[str, Any]) -> Box | None:
    """Return a node's box as it was given; None where it has none or is nowhere."""
    box = node.get("box")
    if not box or len(box) != 4 or _NOWHERE in box or box[2] <= 0 or box[3] <= 0:  # noqa: PLR2004 — a box
        return None
    return (int(box[0]), int(box[1]), int(box[2]), int(box[3]))


def children(tree: dict[str, Any]) -> list[list[int]]:
    """Return the indices of every node's children."""
    nodes = tree.get("nodes") or []
    below: list[list[int]] = [[] for _ in nodes]
    for at, node in enumerate(nodes):
        parent = node.get("parent")
        if isinstance(parent, int) and 0 <= parent < at:
            below[parent].append(at)
    return below


def around(tree: dict[str, Any], at: int) -> Iterator[int]:
    """Give the indices of the nodes around one, the nearest first."""
    nodes = tree["nodes"]
    while isinstance(parent := nodes[at].get("parent"), int) and 0 <= parent < at:
        yield parent
        at = parent


__all__ = ["TOP", "Box", "Place", "around", "children", "common", "extents", "places", "read_tree", "screen_of"]
