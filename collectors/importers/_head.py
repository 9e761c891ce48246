"""What a file is, told from its first bytes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from worldtape.collectors.importers._json import BOM, parse
from worldtape.errors import FormatError
from worldtape.schemas import SourceFile

_MARKS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{},:]', re.DOTALL)
_OPEN = {b"{": b"}", b"[": b"]"}
_CLOSE = frozenset(_OPEN.values())
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
    """Return what the first bytes hold of the document, or of the first line of many; callers never change it."""
    return _head_value(source.head, source.size > len(source.head) + len(BOM))


@lru_cache(maxsize=4)  # every importer looks at the same source
def _head_value(head: bytes, cut: bool) -> Any:
    head = head.lstrip()
    if head[:1] not in _OPEN:
        return None
    line, end, _ = head.partition(b"\n")
    if end and line.rstrip()[-1:] in (b"}", b"]") and (value := _whole(line)) is not None:
        return value
    return (None if cut else _whole(head)) or partial(head)


def _whole(text: bytes) -> Any:
    try:
        return parse(text)
    except FormatError:
        return None


@lru_cache(maxsize=4)
def partial(head: bytes) -> Any:
    """Return what a cut JSON text holds: all before its last comma, closed where it was open; a cut text is empty."""
    closers: list[bytes] = []
    cut, before = 0, b""
    for mark in _MARKS.finditer(head):
        sign = mark[0]
        if sign in _OPEN:
            closers.append(_OPEN[sign])
            cut = mark.end()
        elif sign in _CLOSE:
            if closers[-1:] != [sign]:
                break
            closers.pop()
            cut = mark.end()
        elif sign == b",":
            cut = mark.start()
        elif sign == b'"':  # a text that is cut: nothing behind it can be told apart
            if before == b":":
                return _whole(head[: mark.start()] + b'""' + _closed(closers))
            break
        before = sign
        if not closers or len(closers) > _DEEPEST:
            break
    return _whole(head[:cut] + _closed(closers))


def _closed(closers: list[bytes]) -> bytes:
    return b"".join(reversed(closers))
