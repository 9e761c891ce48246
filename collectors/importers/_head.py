"""What a file is, told from its first bytes."""

from __future__ import annotations

import re
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.errors import FormatError
from worldtape.schemas import SourceFile

_MARKS = re.compile(rb'"(?:[^"\\]|\\.)*"|["\[\]{},:]', re.DOTALL)
_OPEN = {b"{": b"}", b"[": b"]"}
_DEEPEST = 100


def first_value(source: SourceFile) -> Any:
    """Return the first JSON value of the file, or what its first bytes hold of it; null where it is no JSON.

    A list gives its first item that is an object. Sniffing only: what was cut is missing.
    """
    value = head_value(source)
    if isinstance(value, list):
        return next((item for item in value if isinstance(item, dict)), None)
    return value


def head_value(source: SourceFile) -> Any:
    """Return what the first bytes hold of the document, or of the first line of many."""
    head = source.head.lstrip()
    if head[:1] not in _OPEN:
        return None
    line = head.partition(b"\n")[0].rstrip(b"\r")
    return _whole(line) or _whole(head) or partial(head)


def _whole(text: bytes) -> Any:
    try:
        return parse(text)
    except FormatError:
        return None


def partial(head: bytes) -> Any:
    """Return what a cut JSON text holds: all before its last comma, closed where it was open; a cut text is empty."""
    closers: list[bytes] = []
    cut, rest, before = 0, b"", b""
    for mark in _MARKS.finditer(head):
        sign = mark[0]
        if sign in _OPEN:
            closers.append(_OPEN[sign])
            cut, rest = mark.end(), b"".join(reversed(closers))
        elif sign in (b"}", b"]"):
            if not closers or closers.pop() != sign:
                break
            cut, rest = mark.end(), b"".join(reversed(closers))
        elif sign == b",":
            cut, rest = mark.start(), b"".join(reversed(closers))
        elif sign == b'"':  # a text that is cut: nothing behind it can be told apart
            cut, rest = (mark.start(), b'""' + b"".join(reversed(closers))) if before == b":" else (cut, rest)
            break
        before = sign
        if not closers or len(closers) > _DEEPEST:
            break
    return _whole(head[:cut] + rest)
