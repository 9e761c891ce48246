"""Screens as an indented tree."""

from __future__ import annotations

from collections.abc import Iterator

from worldtape.collectors.android._attributes import Seen
from worldtape.collectors.android.elements import Element
from worldtape.collectors.android.render._fold import Fold, quoted
from worldtape.collectors.android.screen import Screen


class Tree(Fold):
    """Renderer `android.tree`, version 1: app and activity, then one node per line, indented by what is around it.

    `  [3] Button "Save" desc="…" id=save (0,10)-(90,58) clickable`. Nodes without an index that say nothing and hold
    only one other are passed over; `package:id/` is left out of ids.
    """

    def __init__(self) -> None:
        super().__init__("android.tree")

    def tell(self, screen: Screen) -> Iterator[str]:
        """Give the lines of a screen."""
        if screen.capture.get("gone"):
            return
        state = screen.state
        place = " ".join(str(state[name]) for name in ("package", "app", "activity") if state.get(name))
        size = "x".join(str(side) for side in screen.size or ())
        yield " ".join(word for word in ("Screen:", place, size) if word)
        if screen.alert:
            yield "Dialog"
            yield from (f"  {_line(element)}" for element in screen.elements)
        else:
            yield from _nodes(screen)


def _nodes(screen: Screen) -> Iterator[str]:
    indexed = {element.at: element for element in screen.elements}
    depths: list[int] = []
    nodes, told = screen.hierarchy.nodes, screen.seen
    for at, (node, seen) in enumerate(zip(nodes, told, strict=True)):
        depth = 0 if node.parent is None else depths[node.parent]
        if seen is None:
            depths.append(depth)
            continue
        element = indexed.get(at)
        inside = sum(told[child] is not None for child in screen.hierarchy.children[at])
        if element is None and inside <= 1 and not seen.text:
            depths.append(depth)
            continue
        yield "  " * depth + (_line(element) if element is not None else _plain(seen))
        depths.append(depth + 1)


def _line(element: Element) -> str:
    words = [f"[{element.index}]", element.short, *_said(element.text, element.desc, element.hint, element.res)]
    if element.bounds is not None:
        words.append("({},{})-({},{})".format(*element.bounds))
    return " ".join([*words, *element.flags])


def _plain(seen: Seen) -> str:
    return " ".join([seen.cls.rpartition(".")[2], *_said(seen.text, seen.desc, seen.hint, seen.res)])


def _said(text: str, desc: str, hint: str, res: str) -> Iterator[str]:
    if text:
        yield quoted(text)
    for name, value in (("desc", desc), ("hint", hint)):
        if value and value != text:
            yield f"{name}={quoted(value)}"
    if res:
        yield f"id={res.rpartition(':id/')[2]}"


__all__ = ["Tree"]
