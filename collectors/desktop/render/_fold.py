"""The fold that both renderers share: the newest line of the channel `tree`, and what stands above its nodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from worldtape.collectors.desktop.render._words import quoted
from worldtape.collectors.desktop.tree import extents, read_tree
from worldtape.collectors.newest_line import NewestLine
from worldtape.schemas import Rendering

_GONE = {
    "container": "The container is gone.",
    "display": "The display is gone.",
    "session": "The session is gone.",
}
_FLAGS = {
    "changed_while_read": "the desktop changed while it was read",
    "application_mute": "an application did not answer",
    "node_gone": "an element vanished while it was read",
    "node_limit": "there are more elements than were read",
    "walk_deadline": "not all elements could be read in time",
}


class Fold(ABC):
    """Keeps the newest tree; how its nodes are told is the renderer's part.

    Args:
        name: of the renderer.
        hidden: also tell what does not show: the items of closed menus, rows that are scrolled away.
    """

    def __init__(self, name: str, *, hidden: bool) -> None:
        parameters = {"hidden": True} if hidden else {}
        self.rendering = Rendering(name=name, version="1", parameters=parameters)
        self._hidden = hidden
        self._newest = NewestLine("tree")

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes of `tree`, split anywhere."""
        self._newest.feed(channel, data)

    def render(self) -> str:
        """Return the newest desktop as text; "" before the first."""
        tree = read_tree(self._newest.line) if self._newest.line else {}
        return "\n".join([*_head(tree), *self._body(tree)]) if tree else ""

    def _body(self, tree: dict[str, Any]) -> Iterator[str]:
        if tree.get("nodes"):
            yield from ("", "## Accessibility tree:")
            yield from self.tell(tree)

    @abstractmethod
    def tell(self, tree: dict[str, Any]) -> Iterator[str]:
        """Give the lines of the nodes of a tree that has some."""


def _head(tree: dict[str, Any]) -> Iterator[str]:
    if gone := tree.get("gone"):
        yield _GONE.get(str(gone), "The desktop is gone.")
    else:
        yield "## Windows, lowest first:"
        yield from (_window(window) for window in tree.get("windows") or ())
        if not tree.get("windows"):
            yield "none"
    for flag in tree.get("flags") or ():
        yield f"({_FLAGS.get(flag, flag)})"
    action = tree.get("action") or {}
    if output := action.get("output"):
        yield from ("", "## Output of the previous action:", output.rstrip("\n"))
    if error := action.get("error"):
        yield from ("", "## Error from the previous action:", error.rstrip("\n"))


def _window(window: dict[str, Any]) -> str:
    states = [word for word in ("active", "hidden", "modal") if window.get(word)]
    said = f"- {quoted(window.get('title') or '')} ({window.get('class') or 'unknown'})"
    said += f" [{', '.join(states)}]" if states else ""
    box = extents(window)
    return said + (f" at ({box[0]}, {box[1]}), {box[2]}x{box[3]}" if box else "")


__all__ = ["Fold"]
