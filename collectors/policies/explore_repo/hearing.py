"""What answers of the tools say: a file's lines, paths."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CLI_HEAD = re.compile(r"Showing lines (?P<first>\d+)-(?P<last>\d+) of (?P<total>\d+) total lines\.\n\n---\n\n")
_NUMBERED = re.compile(r" *(?P<number>\d+)→(?P<text>.*)")
_PATH = re.compile(r"^(?:File: )?(?P<path>/[^\n:]*[^\n:\s])(?::\d+:.*|:\d+)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """Lines of a file as they were shown.

    Attributes:
        first: number of the first of them, from 1.
        lines: without their ends.
        whole: nothing comes after them.
    """

    first: int
    lines: tuple[str, ...]
    whole: bool


def page(text: str, *, claude: bool) -> Page | None:
    """Return what an answer to a reading shows; None where it shows no file."""
    return _numbered(text) if claude else _plain(text)


def _plain(text: str) -> Page:
    head = _CLI_HEAD.match(text)
    if head is None:
        return Page(1, tuple(text.split("\n")), whole=True)
    lines = tuple(text[head.end() :].split("\n"))
    return Page(int(head["first"]), lines, whole=int(head["last"]) >= int(head["total"]))


def _numbered(text: str) -> Page | None:
    found = [_NUMBERED.fullmatch(line) for line in text.split("\n")]
    rows = [(int(row["number"]), row["text"]) for row in found if row is not None]
    if not rows or len(rows) < len(found):
        return None
    return Page(rows[0][0], tuple(line for _, line in rows), whole=not rows[-1][1])


def paths(text: str, root: str) -> list[str]:
    """Return the files of the repository that an answer names, each once; relative ones are made absolute."""
    found = [match["path"] for match in _PATH.finditer(text) if match["path"].startswith(f"{root}/")]
    return list(dict.fromkeys(found))
