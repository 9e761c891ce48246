"""Desktops as an indented tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldtape.collectors.desktop.render._fold import Fold
from worldtape.collectors.desktop.render._words import name_of, out_of_sight, quoted, says, states_of, text_of, value_of
from worldtape.collectors.desktop.tree import Place, places


class Tree(Fold):
    """Renderer `desktop.tree`, version 1: windows, what the action said, and the elements, each below its holder.

    One element per line, indented by two spaces: `role "name" text="…" value=… [states] (left,top width x height)`,
    in pixels of the screen, of the whole element; `(off-screen)` where it cannot be seen. Elements that only hold
    others and have no name are passed over, and what they hold moves up.

    Args:
        hidden: also tell what does not show, as `(hidden)`.
    """

    def __init__(self, *, hidden: bool = False) -> None:
        super().__init__("desktop.tree", hidden=hidden)

    def tell(self, tree: dict[str, Any]) -> Iterator[str]:
        """Give the lines of the tree."""
        names: list[str] = []
        depths: list[int] = []
        for node, place in zip(tree["nodes"], places(tree), strict=True):
            parent = node.get("parent")
            inside = isinstance(parent, int) and 0 <= parent < len(names)
            above, depth = (names[parent], depths[parent]) if inside else ("", 0)
            told = says(node, place, above) and (place.showing or self._hidden)
            names.append(name_of(node) if told else above)
            depths.append(depth + told)
            if told:
                yield "  " * depth + _line(node, place)


def _line(node: dict[str, Any], place: Place) -> str:
    said = [str(node.get("role", "unknown"))]
    if name := name_of(node):
        said.append(quoted(name))
    if (text := text_of(node)) is not None:
        said.append(f"text={quoted(text)}")
    if (value := value_of(node)) is not None:
        said.append(f"value={value}")
    if states := ", ".join(states_of(node)):
        said.append(f"[{states}]")
    if node.get("role") != "application":
        box = "{},{} {}x{}".format(*node["box"]) if place.box is not None else out_of_sight(place)
        said.append(f"({box})")
    return " ".join(said)


__all__ = ["Tree"]
