"""The fold that the renderers share: the newest line of the channel `hierarchy`, and what stands above its elements."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator

from worldtape.collectors.android.screen import Screen
from worldtape.collectors.newest_line import NewestLine
from worldtape.schemas import Rendering

_GONE = {
    "app": "The app is gone.",
    "server": "The device does not answer: its server is gone.",
    "session": "The device does not answer: the session is gone.",
}
_ESCAPED = re.compile(r'[\\"\n\r\t]')
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Fold(ABC):
    """Keeps the newest capture; how its elements are told is the renderer's part.

    Args:
        name: of the renderer.
    """

    def __init__(self, name: str) -> None:
        self.rendering = Rendering(name=name, version="1")
        self._newest = NewestLine("hierarchy")

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes of `hierarchy`, split anywhere."""
        self._newest.feed(channel, data)

    def render(self) -> str:
        """Return the newest screen as text; "" before the first."""
        screen = Screen.of(self._newest.line) if self._newest.line else None
        if screen is None or not screen.capture:
            return ""
        return "\n".join([*_head(screen), *self.tell(screen)])

    @abstractmethod
    def tell(self, screen: Screen) -> Iterator[str]:
        """Give the lines of a screen."""


def quoted(text: str) -> str:
    """Return a text in double quotes, with its line breaks, quotes and backslashes escaped."""
    return '"' + _ESCAPED.sub(lambda found: _ESCAPES[found[0]], text) + '"'


def _head(screen: Screen) -> Iterator[str]:
    if screen.error:
        yield f"Error from previous action: {screen.error}"
        yield ""
    if gone := screen.capture.get("gone"):
        yield _GONE.get(str(gone), "The device does not answer.")


__all__ = ["Fold", "quoted"]
