"""The fold that both renderers share: the newest line of the channel `tree`."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.web.tree import read_tree
from worldtape.schemas import Rendering


class Fold:
    """Keeps the newest tree; how it is told is the renderer's part."""

    rendering: Rendering

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._line = b""

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes of `tree`, split anywhere."""
        if channel != "tree":
            return
        head, end, tail = data.rpartition(b"\n")
        if not end:
            self._rest.append(data)
            return
        whole = b"".join([*self._rest, head])
        self._line = whole.rpartition(b"\n")[2]
        self._rest = [tail] if tail else []

    def render(self) -> str:
        """Return the newest page as text; "" before the first."""
        tree = read_tree(self._line) if self._line else {}
        return self.tell(tree) if tree else ""

    def tell(self, tree: dict[str, Any]) -> str:
        """Return a tree as text."""
        raise NotImplementedError


def happened(event: dict[str, Any]) -> str:
    """Return one event of a page as a sentence."""
    match event.get("kind"):
        case "dialog":
            typed = f" with {event['text']!r}" if "text" in event else ""
            return f"{event['type']} dialog {event['message']!r} was {event['answer']}{typed}"
        case "download":
            return f"file {event['name']!r} was downloaded ({event['bytes']} bytes)"
        case "download_failed":
            return f"file {event['name']!r} could not be downloaded"
        case "tab_opened":
            return f"tab {event['index']} was opened"
        case "tab_closed":
            return f"tab {event['index']} was closed"
        case "page_crashed":
            return f"the page of tab {event['index']} crashed"
        case "message":
            return f"message to the user: {event['text']}"
        case "infeasible":
            return f"reported as infeasible: {event['reason']}"
        case kind:
            return str(kind)


__all__ = ["Fold", "happened"]
