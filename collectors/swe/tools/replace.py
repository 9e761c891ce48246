"""Replacing text in text: exact, and nothing else is touched."""

from __future__ import annotations

import re
from dataclasses import dataclass

AROUND = 4
"""So many lines are shown before and after what an edit changed."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What is asked for."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Miss:
    """Why nothing was replaced: `no_occurrence`, `many_occurrences`, `same_strings` or `no_change`."""

    kind: str
    count: int = 0


def replace(text: str, edit: Edit) -> str | Miss:
    """Return `text` after an edit.

    A line end of the old text matches CRLF and LF alike, one of the new text is written as most of `text` has them.
    Where the new text is empty and a line end follows the old one, that goes too, as in the tools these are made after.
    """
    if edit.old == edit.new:
        return Miss("same_strings")
    old, new = edit.old.replace("\r\n", "\n"), edit.new.replace("\r\n", "\n")
    crlf = text.count("\r\n")
    newline = "\r\n" if 2 * crlf > text.count("\n") else "\n"
    pattern = re.escape(old).replace("\\\n", "\n").replace("\n", "\r?\n")
    if not new and not old.endswith("\n") and re.search(f"{pattern}\r?\n", text):
        pattern += "(?:\r?\n)"
    count = sum(1 for _ in re.finditer(pattern, text))
    if not count:
        return Miss("no_occurrence")
    if count > 1 and not edit.everywhere:
        return Miss("many_occurrences", count)
    said = new.replace("\n", newline)
    after = re.sub(pattern, lambda _: said, text)
    return Miss("no_change") if after == text else after


def changed_lines(before: str, after: str) -> tuple[int, int, int]:
    """Return the first and the last line (from 1) of what is shown of `after`, and how many lines it has."""
    old, new = before.split("\n"), after.split("\n")
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    first, last = max(0, head - AROUND), min(len(new), len(new) - tail + AROUND)
    return min(first + 1, len(new)), max(last, 1), len(new)


__all__ = ["AROUND", "Edit", "Miss", "changed_lines", "replace"]
