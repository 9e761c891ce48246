"""The fold that both renderers share: the newest line of the channel `tree`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from worldtape.collectors.newest_line import NewestLine
from worldtape.collectors.web.tree import read_tree
from worldtape.schemas import Rendering


class Fold(ABC):
    """Keeps the newest tree; how it is told is the renderer's part."""

    rendering: Rendering

    def __init__(self) -> None:
        self._newest = NewestLine("tree")

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes of `tree`, split anywhere."""
        self._newest.feed(channel, data)

    def render(self) -> str:
        """Return the newest page as text; "" before the first."""
        tree = read_tree(self._newest.line) if self._newest.line else {}
        return self.tell(tree) if tree else ""

    @abstractmethod
    def tell(self, tree: dict[str, Any]) -> str:
        """Return a tree as text."""


_SENTENCES = {
    "dialog": "{type} dialog {message!r} was {answer}",
    "download": "file {name!r} was downloaded ({bytes} bytes)",
    "download_failed": "file {name!r} could not be downloaded",
    "tab_opened": "tab {index} was opened",
    "tab_closed": "tab {index} was closed",
    "page_crashed": "the page of tab {index} crashed",
    "message": "message to the user: {text}",
    "infeasible": "reported as infeasible: {reason}",
    "truncated": "and more of the kind {of}",
}


def happened(event: dict[str, Any]) -> str:
    """Return one event of a page as a sentence."""
    kind = str(event.get("kind"))
    typed = f" with {event['text']!r}" if kind == "dialog" and "text" in event else ""
    return _SENTENCES.get(kind, kind).format_map(event) + typed


__all__ = ["Fold", "happened"]
