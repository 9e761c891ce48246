"""What a DOM snapshot of Chromium says of each element: tag, attributes, place, selector."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

STYLES = ("cursor", "border-left-width", "border-top-width")
"""Computed styles that `Page` reads, in this order."""
_ELEMENT, _TEXT = 1, 3
_LONGEST = 300
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands in the viewport: what is added to the coordinates of its boxes."""

    left: float
    top: float


class Page:
    """One document of a `DOMSnapshot.captureSnapshot` with the styles `STYLES`; see `collectors/web/capture.py`.

    Args:
        document: one of its `documents`.
        strings: its `strings`.

    Attributes:
        frame: the id of the frame that shows it.
        index: backend node id to the index of the node.
        inside: index of an iframe to the number of the document it holds.
    """

    def __init__(self, document: dict[str, Any], strings: list[str]) -> None:
        nodes, layout = document["nodes"], document["layout"]
        self._strings = strings
        self._nodes = nodes
        self.frame: str = strings[document["frameId"]]
        self.scroll = (float(document.get("scrollOffsetX") or 0), float(document.get("scrollOffsetY") or 0))
        self.size = (float(document.get("contentWidth") or 0), float(document.get("contentHeight") or 0))
        self.index: dict[int, int] = {backend: i for i, backend in enumerate(nodes["backendNodeId"])}
        self.inside: dict[int, int] = dict(
            zip(nodes["contentDocumentIndex"]["index"], nodes["contentDocumentIndex"]["value"], strict=True)
        )
        self._clickable = set(nodes["isClickable"]["index"])
        self._roots: set[int] = set(nodes.get("shadowRootType", {}).get("index", ()))
        self._boxes: dict[int, list[float]] = {}
        self._styles: dict[int, list[int]] = {}
        for at, box, style in zip(layout["nodeIndex"], layout["bounds"], layout["styles"], strict=True):
            self._boxes.setdefault(at, box)
            if style:
                self._styles.setdefault(at, style)
        self._of_type: list[int] | None = None
        self._ids: Counter[str] = Counter()

    def is_element(self, at: int) -> bool:
        """Say whether the node is an element; documents and texts are none."""
        return bool(self._nodes["nodeType"][at] == _ELEMENT)

    def attributes(self, at: int) -> dict[str, str]:
        """Return all attributes; of a longer value the first 300 characters and `…` (the HTML has the whole)."""
        given = self._nodes["attributes"][at]
        strings = self._strings
        pairs = (
            (strings[given[i]], strings[given[i + 1]] if given[i + 1] >= 0 else "") for i in range(0, len(given), 2)
        )
        return {name: value if len(value) <= _LONGEST else value[:_LONGEST] + "…" for name, value in pairs}

    def facts(self, at: int, place: Place) -> dict[str, Any]:
        """Return tag, attributes, box in the viewport, and what a pointer would do."""
        found: dict[str, Any] = {"tag": self.tag(at)}
        if attributes := self.attributes(at):
            found["attrs"] = attributes
        if at in self._boxes:
            found["box"] = self.box(at, place)
        if at in self._clickable:
            found["clickable"] = True
        if at in self._styles and self._strings[self._styles[at][0]] == "pointer":
            found["cursor"] = "pointer"
        return found

    def tag(self, at: int) -> str:
        """Return the name of the element in lower case."""
        return str(self._strings[self._nodes["nodeName"][at]]).lower()

    def box(self, at: int, place: Place) -> list[float]:
        """Return left, top, width and height in CSS pixels of the viewport."""
        left, top, width, height = self._boxes[at]
        return [_short(left + place.left), _short(top + place.top), _short(width), _short(height)]

    def place_inside(self, at: int, place: Place, inner: Page) -> Place:
        """Return where the document `inner` of the iframe `at` stands."""
        left, top = self.box(at, place)[:2] if at in self._boxes else (0.0, 0.0)
        borders = [_pixels(self._strings[i]) for i in self._styles.get(at, [])[1:3]] or [0.0, 0.0]
        return Place(left + borders[0] - inner.scroll[0], top + borders[1] - inner.scroll[1])

    def selector(self, at: int) -> str:
        """Return a CSS selector, in Playwright's form where it leads through shadow roots."""
        parts: list[str] = []
        while True:
            identity = "body" if self.tag(at) == "body" else self._identity(at)
            parts.append(identity or self._nth(at))
            parent = self._nodes["parentIndex"][at]
            through = parent >= 0 and parent in self._roots
            if through:
                parent = self._nodes["parentIndex"][parent]
            if (identity and not through) or parent < 0 or not self.is_element(parent):
                break
            parts.append(" >> " if through else " > ")
            at = parent
        return "".join(reversed(parts))

    def _identity(self, at: int) -> str | None:
        self._count()
        given = self.attributes(at).get("id", "")
        if given and self._ids[given] == 1 and not given[0].isdigit() and set(given) <= _PLAIN:
            return f"#{given}"
        return None

    def _nth(self, at: int) -> str:
        of_type = self._count()
        return f"{self.tag(at)}:nth-of-type({of_type[at]})"

    def _count(self) -> list[int]:
        if self._of_type is None:
            seen: Counter[tuple[int, int]] = Counter()
            self._of_type = []
            for at, (parent, name) in enumerate(zip(self._nodes["parentIndex"], self._nodes["nodeName"], strict=True)):
                seen[parent, name] += 1
                self._of_type.append(seen[parent, name])
                if self.is_element(at) and (given := self.attributes(at).get("id")):
                    self._ids[given] += 1
        return self._of_type


def _short(value: float) -> float:
    return round(value, 1)


def _pixels(text: str) -> float:
    try:
        return float(text.removesuffix("px"))
    except ValueError:
        return 0.0


__all__ = ["STYLES", "Page", "Place"]
