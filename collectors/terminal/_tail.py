"""The newest output, for error messages: what a command printed, without what was typed."""

from __future__ import annotations

import re

from worldtape.collectors.terminal.marks import Marks

_KEPT = 4096
_ENTERED = b"\x1b[?2004l"
"""Bash prints it when a line was entered, before it carries the line out."""
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SIGNALS = re.compile(r"(\x03|\x1a|\x1c)")


class Tail:
    """Keeps the last 4 KiB of what came since `clear`, and what was typed meanwhile."""

    def __init__(self) -> None:
        self.clear(at_prompt=True)

    def clear(self, *, at_prompt: bool) -> None:
        """Forget everything; a shell stands `at_prompt`, or a program runs."""
        self._data = self._edge = self._typed = b""
        self._entered = 0
        self._whole, self._at_prompt = True, at_prompt

    def feed(self, data: bytes) -> None:
        """Take more output."""
        self._entered += (self._edge + data).count(_ENTERED)
        self._edge = (self._edge + data)[1 - len(_ENTERED) :]
        self._whole = self._whole and len(self._data) + len(data) <= _KEPT
        self._data = (self._data + data[-_KEPT:])[-_KEPT:]

    def typed(self, data: bytes) -> None:
        """Take keys: their echo is nobody's message."""
        self._typed += data

    def last_line(self, marks: Marks) -> str | None:
        """Return the last line with something on it that the newest finished command printed; None if there is none.

        Escapes, prompts and the echo of keys are left out.
        """
        found = marks.find(self._data)
        if not found:
            return None
        place = next(place for place, mark in enumerate(found) if mark.number == found[-1].number)
        begin, end = found[place - 1].end if place else 0, found[place].start
        _, entered, output = self._data[begin:end].rpartition(_ENTERED)
        lines = _ESCAPES.sub("", output.decode("utf-8", "replace")).split("\n")
        typed = self._lines_typed()
        if not entered and (place or (self._whole and self._at_prompt)):
            lines = _after_prompt(lines, typed)
        lines = _without(typed[self._entered - self._data[end:].count(_ENTERED) :], lines)
        return next((line for line in reversed(lines) if line), None)

    def _lines_typed(self) -> list[str]:
        keys = _SIGNALS.sub(r"\1\n", self._typed.decode("utf-8", "replace").replace("\r", "\n"))
        return [_SIGNALS.sub(_caret, line) for line in keys.split("\n")]


def _after_prompt(lines: list[str], typed: list[str]) -> list[str]:
    """Return the lines after the prompt, which ends with the echo of a typed line; without one it is the first line."""
    ends = tuple(filter(None, typed))
    place = next((place for place, line in enumerate(lines) if line.rstrip("\r").endswith(ends)), 0)
    return lines[place + 1 :]


def _without(echoes: list[str], lines: list[str]) -> list[str]:
    """Take the echo of keys that a running program was sent out of its lines."""
    left, echoes = [], list(echoes)
    for line in lines:
        text = _CONTROLS.sub("", line).strip()
        for place, echo in enumerate(echoes):
            if echo and (text.endswith(echo) or (echo[0] == "^" and echo in text)):
                text = text.replace(echo, "", 1) if echo[0] == "^" else text.removesuffix(echo)
                del echoes[: place + 1]
                break
        left.append(text.strip())
    return left


def _caret(found: re.Match[str]) -> str:
    return f"^{chr(ord(found[0]) | 64)}"
