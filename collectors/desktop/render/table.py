"""Desktops as a table, in the manner of OSWorld's linearised accessibility tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldtape.collectors.desktop.render._fold import Fold
from worldtape.collectors.desktop.render._words import name_of, out_of_sight, says, states_of, text_of, value_of
from worldtape.collectors.desktop.tree import Place, places

_HEAD = "role\tname\ttext\tvalue\tstates\tposition\tsize"
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"})


class Table(Fold):
    r"""Renderer `desktop.table`, version 1: windows, what the action said, and one element per line.

    Columns by tabs: role, name, text, value, states, position (left, top), size (width, height), in pixels of the
    screen, of the whole element; an element that cannot be seen has `off-screen` as its position. Line feeds and tabs
    in texts are told as `\n`, `\t`.

    Args:
        hidden: also tell what does not show, with `hidden` as its position.
    """

    def __init__(self, *, hidden: bool = False) -> None:
        super().__init__("desktop.table", hidden=hidden)

    def tell(self, tree: dict[str, Any]) -> Iterator[str]:
        """Give the lines of the table."""
        yield _HEAD
        nodes = tree["nodes"]
        names: list[str] = []
        for node, place in zip(nodes, places(tree), strict=True):
            parent = node.get("parent")
            above = names[parent] if isinstance(parent, int) and 0 <= parent < len(names) else ""
            told = says(node, place, above)
            names.append(name_of(node) if told else above)
            if told and (place.showing or self._hidden):
                yield _row(node, place)


def _row(node: dict[str, Any], place: Place) -> str:
    position, size = out_of_sight(place), ""
    if node.get("role") == "application":
        position = ""
    elif place.box is not None:
        left, top, width, height = node["box"]
        position, size = f"({left}, {top})", f"({width}, {height})"
    cells = (
        str(node.get("role", "unknown")),
        name_of(node),
        text_of(node) or "",
        value_of(node) or "",
        ", ".join(states_of(node)),
        position,
        size,
    )
    return "\t".join(cell.translate(_ESCAPES) for cell in cells)


__all__ = ["Table"]
