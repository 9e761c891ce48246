"""What both families of tools have in common: the facts of the newest call."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from worldtape.collectors.swe.render.text import clean
from worldtape.schemas import Rendering

CALL, ANSWER = "swe.call", "swe.answer"
"""Channels of one JSON object a line: what was asked, and what is known about the answer."""
FILE, STDOUT, STDERR = "swe.file", "swe.stdout", "swe.stderr"
"""Channels of bytes: of a file as it was read or is after an edit, and what a command wrote."""
LINE_CHARS = 2000
"""Longer lines of files are cut there."""
_CUT = "... [truncated]"
_TEXT = (FILE, STDOUT, STDERR)
Layout = Callable[[dict[str, Any]], str]


class Fold(ABC):
    """Keeps the newest call: its arguments, the bytes that came, the facts of its answer.

    A line of `swe.call` begins a call and forgets the last one; `swe.file`, `swe.stdout` and `swe.stderr` are bytes of
    it; a line of `swe.answer` says what they are. A subclass lays out one family of tools.

    Attributes:
        arguments: of the newest call, as they were given.
        tool: its name.
    """

    rendering: Rendering

    def __init__(self) -> None:
        self.arguments: dict[str, Any] = {}
        self.tool = ""
        self._answer: dict[str, Any] | None = None
        self._rest = {CALL: b"", ANSWER: b""}
        self._bytes = {channel: bytearray() for channel in _TEXT}

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes, split anywhere."""
        if channel in self._bytes:
            self._bytes[channel] += data
        elif channel in self._rest:
            *lines, self._rest[channel] = (self._rest[channel] + data).split(b"\n")
            for line in lines:
                value = _read(line)
                if isinstance(value, dict):
                    self._take(channel, value)

    def render(self) -> str:
        """Return the text of the newest answer, "" before the first."""
        answer = self._answer
        if answer is None:
            return ""
        layouts = self.faults() if "error" in answer else self.layouts()
        layout = layouts.get(str(answer.get("error", answer.get("op"))))
        return clean(self.failed(answer) if layout is None else layout(answer))

    @abstractmethod
    def layouts(self) -> Mapping[str, Layout]:
        """Return, for each operation, how its answer looks."""

    @abstractmethod
    def faults(self) -> Mapping[str, Layout]:
        """Return, for each type of error, how it looks."""

    @abstractmethod
    def failed(self, answer: dict[str, Any]) -> str:
        """Return how an error looks that is not in `faults`."""

    def bytes_of(self, channel: str) -> bytes:
        """Return what came on a channel of bytes since the call began."""
        return bytes(self._bytes[channel])

    def text_of(self, channel: str) -> str:
        """Return the same as text; what is no UTF-8 is U+FFFD."""
        return self._bytes[channel].decode("utf-8", "replace")

    def _take(self, channel: str, value: dict[str, Any]) -> None:
        if channel == ANSWER:
            self._answer = value
            return
        arguments = value.get("arguments")
        self.tool = str(value.get("name") or "")
        self.arguments = arguments if isinstance(arguments, dict) else {}
        self._answer = None
        for held in self._bytes.values():
            held.clear()


def cut_line(line: str) -> str:
    """Return a line as far as it is shown."""
    return line if len(line) <= LINE_CHARS else line[:LINE_CHARS] + _CUT


def fitting(lines: list[str], chars: int) -> int:
    """Return how many of the first lines fit into so many characters; at least one."""
    used = 0
    for number, line in enumerate(lines):
        used += len(line) + 1
        if used > chars and number:
            return number
    return len(lines)


def plural(count: int, word: str) -> str:
    """Return `1 match`, `2 matches`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}{'es' if word.endswith('ch') else 's'}"


def _read(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        pass
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


__all__ = [
    "ANSWER",
    "CALL",
    "FILE",
    "LINE_CHARS",
    "STDERR",
    "STDOUT",
    "Fold",
    "Layout",
    "cut_line",
    "fitting",
    "plural",
]
