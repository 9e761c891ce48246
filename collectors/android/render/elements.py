"""Screens as indexed lines, one element each, in the manner of AndroidWorld."""

from __future__ import annotations

from collections.abc import Iterator

from worldtape.collectors.android.elements import Element
from worldtape.collectors.android.render._fold import Fold, quoted
from worldtape.collectors.android.screen import Screen


class Elements(Fold):
    """Renderer `android.elements`, version 1: one line per element.

    `[ 3] | android.widget.Button | text="Save" desc="…" hint="…" res="app:id/save" | bounds=[0,10][90,58] | clickable`.
    What an element does not have is left out; texts are told with their line breaks, quotes and backslashes escaped.
    """

    def __init__(self) -> None:
        super().__init__("android.elements")

    def tell(self, screen: Screen) -> Iterator[str]:
        """Give the lines of a screen."""
        width = max(2, len(str(len(screen.elements) - 1)))
        for element in screen.elements:
            yield " | ".join([f"[{element.index:>{width}}]", *_parts(element)])


def _parts(element: Element) -> Iterator[str]:
    yield element.cls
    said = (("text", element.text), ("desc", element.desc), ("hint", element.hint), ("res", element.res))
    if words := " ".join(f"{name}={quoted(value)}" for name, value in said if value):
        yield words
    if element.bounds is not None:
        left, top, right, bottom = element.bounds
        yield f"bounds=[{left},{top}][{right},{bottom}]"
    if element.flags:
        yield ", ".join(element.flags)


__all__ = ["Elements"]
