"""The newest output, for error messages."""

from __future__ import annotations

import re

_KEPT = 4096
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class Tail:
    """Keeps the last 4 KiB of what came since `clear`."""

    def __init__(self) -> None:
        self._data = b""

    def clear(self) -> None:
        """Forget everything."""
        self._data = b""

    def feed(self, data: bytes) -> None:
        """Take more output."""
        self._data = (self._data + data[-_KEPT:])[-_KEPT:]

    def last_line(self, before: bytes) -> str | None:
        """Return the last line with something on it before the last `before`, without escapes; None if there is none.

        The first line is left out: it is the echo of what was typed.
        """
        head, found, _ = self._data.rpartition(before)
        text = _ESCAPES.sub("", (head if found else self._data).decode("utf-8", "replace"))
        lines = [_CONTROLS.sub("", line).strip() for line in text.split("\n")[1:]]
        return next((line for line in reversed(lines) if line), None)
