"""The visible screen of a terminal, as text."""

from collections.abc import Callable
from typing import Any

import orjson
from pyghostty import Terminal

from worldtape.collectors.terminal.render._text import Text
from worldtape.collectors.terminal.render._titles import Titles
from worldtape.schemas import Rendering

_SCROLLBACK = 10_000  # much slower with few lines; memory stays below 3 MB, which the core limits by itself


class Screen:
    """Renderer `terminal.screen`, version 1: what a person would see, without colours.

    Channel `pty` is terminal output; each line of `pty.size` is JSON `{"cols": int, "rows": int}` and resizes. Rows are
    trimmed on the right and blank rows at the end are left out. Bytes are taken as they come: bad UTF-8, unknown and
    private sequences never raise.

    Args:
        cols: width in cells at the start.
        rows: height in cells at the start.
        on_reply: takes the terminal's answers to queries (where is the cursor, what are you); None: it stays silent.
    """

    def __init__(self, cols: int = 160, rows: int = 40, *, on_reply: Callable[[bytes], None] | None = None) -> None:
        self.rendering = Rendering(name="terminal.screen", version="1", parameters={"cols": cols, "rows": rows})
        self._terminal = Terminal(cols, rows, scrollback=_SCROLLBACK)
        self._text = Text(self._terminal)
        if on_reply is not None:
            self._terminal.on_reply(on_reply)
        self._titles = Titles()
        self._sizes = b""

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes of `pty` or `pty.size`."""
        if channel == "pty":
            self._terminal.feed(self._titles.feed(data))
        elif channel == "pty.size":
            *lines, self._sizes = (self._sizes + data).split(b"\n")
            for line in lines:
                self._resize(line)

    def render(self) -> str:
        """Return the rows of the screen, joined by newlines."""
        rows = self._text.read().split("\n")
        return "\n".join(row.rstrip(" ") for row in rows).rstrip("\n")

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row, from 0."""
        column, row = self._terminal.cursor
        return int(column), int(row)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        cols, rows = self._terminal.size
        return int(cols), int(rows)

    @property
    def alternate(self) -> bool:
        """Whether a full-screen program has switched to the alternate screen."""
        return any(self._terminal.mode(mode) for mode in (1049, 1047, 47))

    @property
    def application_keys(self) -> bool:
        """Whether cursor keys are to be sent in their application form (DECCKM)."""
        return bool(self._terminal.mode(1))

    def _resize(self, line: bytes) -> None:
        size = _size(line)
        if size is not None and size != self.size:
            self._terminal.resize(*size)


def _size(line: bytes) -> tuple[int, int] | None:
    try:
        value: Any = orjson.loads(line)
        cols, rows = value["cols"], value["rows"]
    except (ValueError, KeyError, TypeError):
        return None
    sane = all(type(side) is int and 0 < side <= 10_000 for side in (cols, rows))  # noqa: PLR2004
    return (cols, rows) if sane else None
