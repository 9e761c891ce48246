"""The text of a terminal's screen, formatted once: pyghostty's own `text` does it twice, to find the size first."""

from typing import Any

from pyghostty import Terminal
from pyghostty._ffi import ffi, lib
from pyghostty.core import init_sized

_BYTES = 1 << 16


class Text:
    """What `terminal.text()` returns, at a third of its cost.

    Args:
        terminal: whose screen it is.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._selection = init_sized("GhosttySelection")
        self._options: Any = init_sized("GhosttyTerminalSelectionFormatOptions")
        self._options.emit = lib.GHOSTTY_FORMATTER_FORMAT_PLAIN
        self._options.unwrap, self._options.trim = False, True
        self._options.selection = self._selection
        self._buffer = ffi.new("uint8_t[]", _BYTES)
        self._count = ffi.new("size_t*")

    def read(self) -> str:
        """Return the rows as they are shown, joined by newlines."""
        cols, rows = self._terminal.size
        self._selection.start = self._terminal.ref(0, 0)[0]
        self._selection.end = self._terminal.ref(cols - 1, rows - 1)[0]
        handle = self._terminal._t[0]  # noqa: SLF001 - no public name
        failed = lib.ghostty_terminal_selection_format_buf(handle, self._options[0], self._buffer, _BYTES, self._count)
        if failed:  # the buffer is too small
            return str(self._terminal.text())
        return bytes(ffi.buffer(self._buffer, self._count[0])).decode()
