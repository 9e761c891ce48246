"""What `tmux send-keys` types for its arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from worldtape.collectors.importers._json import lines
from worldtape.errors import FormatError
from worldtape.schemas import SourceFile

_NAMED = {
    "Enter": "\r",
    "Escape": "\x1b",
    "Tab": "\t",
    "BTab": "\x1b[Z",
    "Space": " ",
    "BSpace": "\x7f",
    "Up": "\x1b[A",
    "Down": "\x1b[B",
    "Right": "\x1b[C",
    "Left": "\x1b[D",
    "Home": "\x1b[1~",
    "End": "\x1b[4~",
    "PageUp": "\x1b[5~",
    "PgUp": "\x1b[5~",
    "PageDown": "\x1b[6~",
    "PgDn": "\x1b[6~",
    "DC": "\x1b[3~",
    "Delete": "\x1b[3~",
    "IC": "\x1b[2~",
}
_LONGEST = 1 << 20
_CONTROL = "C-x"


def sends(source: SourceFile) -> Iterator[tuple[str, ...] | None]:
    """Give the arguments of each line of `commands.txt` (Python literals); None for a line that is none."""
    try:
        for _, line in lines(source):
            yield _arguments(line)
    except FormatError:
        yield None


def _arguments(line: bytes) -> tuple[str, ...] | None:
    if len(line) > _LONGEST:
        return None
    try:
        value = ast.literal_eval(line.decode("utf-8", "replace").strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    items = [value] if isinstance(value, str) else value
    return tuple(items) if isinstance(items, (list, tuple)) and all(isinstance(item, str) for item in items) else None


def typed(arguments: tuple[str, ...]) -> str:
    """Return the characters that reach the terminal."""
    return "".join(_key(item) for item in arguments)


def _key(name: str) -> str:
    if name in _NAMED:
        return _NAMED[name]
    if name == "C-Space":
        return "\x00"
    if len(name) == len(_CONTROL) and name[:2] in ("C-", "^-") and "@" <= name[2].upper() <= "_":
        return chr(ord(name[2].upper()) & 0x1F)
    return "\x1b" + name[2:] if len(name) == len(_CONTROL) and name[:2] == "M-" else name
