"""An output as lines of plain text."""

from __future__ import annotations

import re

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def plain(data: bytes | str) -> list[str]:
    """Return the lines without colours; a line that was written over is read as it was left."""
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    lines = _ESCAPES.sub("", text).replace("\r\n", "\n").split("\n")
    return [line.rstrip("\r").rpartition("\r")[2].rstrip() for line in lines]


def indent(line: str) -> int:
    """Return by how many blanks a line is indented."""
    return len(line) - len(line.lstrip())
