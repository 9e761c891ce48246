"""Other people's JSON, read leniently and counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import orjson

from worldtape.errors import FormatError
from worldtape.schemas import Orphan, SourceFile

BOM = b"\xef\xbb\xbf"
LONGEST_LINE = 256 << 20
"""A longer line is rejected, bytes."""
LONGEST_DOCUMENT = 1 << 30
"""A longer single document is refused, bytes: it would have to be held whole."""
_DEEPEST = 200
_HUGE = 20
"""Digits of the smallest integer that 64 bits do not hold."""
_BEFORE = frozenset(bytes([byte]) for byte in b"-[:, \t\r\n") | {b""}
_BEHIND = frozenset(bytes([byte]) for byte in b",]} \t\r\n")
_DIGITS = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))  # noqa: PLR2004


def parse(data: bytes) -> Any:
    """Return one JSON value; NaN and infinities become null, lone surrogates U+FFFD, large integers stay.

    Raises:
        FormatError: it is no JSON, or nested deeper than 200 levels.
    """
    try:
        if _holds_huge(data):
            return _lenient(data, ValueError("a number is damaged"))
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        return _lenient(data, error)
    if _too_deep(value, data):
        raise FormatError(f"nested deeper than {_DEEPEST} levels")
    return value


def _too_deep(value: Any, data: bytes) -> bool:
    """Tell whether what was read could not be written again; most values have too few brackets for that."""
    if data.count(b"[") + data.count(b"{") <= _DEEPEST:
        return False
    try:
        orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        return True
    return False


def _holds_huge(data: bytes) -> bool:
    """Tell whether integers may be in it that orjson makes floats of; every fourth byte is looked at first."""
    if data[::4].translate(_DIGITS).find(b"0" * (_HUGE // 4)) < 0:
        return False
    digits = data.translate(_DIGITS)
    at = digits.find(b"0" * _HUGE)
    while at >= 0:
        end = at + _HUGE
        while digits[end : end + 1] == b"0":
            end += 1
        if data[at - 1 : at] in _BEFORE and (data[end : end + 1] in _BEHIND or end == len(data)):
            return True
        at = digits.find(b"0" * _HUGE, end)
    return False


def _lenient(data: bytes, error: ValueError) -> Any:
    if "unexpected end of data" in str(error):  # it is cut: nothing to be lenient about
        raise FormatError(f"no valid JSON: {error}") from error
    try:
        text = data.decode("utf-8", "replace")
        return _mended(json.loads(text, parse_constant=lambda _: None), 0)
    except (ValueError, RecursionError):
        raise FormatError(f"no valid JSON: {error}") from error


def _mended(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise FormatError(f"nested deeper than {_DEEPEST} levels")
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_mended(key, depth + 1): _mended(item, depth + 1) for key, item in value.items()}
    return [_mended(item, depth + 1) for item in value] if isinstance(value, list) else value


def lines(source: SourceFile) -> Iterator[tuple[int, bytes]]:
    """Give (byte offset, line without its end) of every line that is not blank; split on the byte LF only.

    Raises:
        FormatError: a line is longer than 256 MiB.
    """
    with source.open() as file:
        offset = 0
        while line := file.readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                raise FormatError(f"a line is longer than {LONGEST_LINE >> 20} MiB", where=f"{source.name}:{offset}")
            bare = line.removeprefix(BOM) if offset == 0 else line
            start = offset + len(line) - len(bare)
            bare = bare.rstrip(b"\r\n")
            if bare.strip():
                yield start, bare
            offset += len(line)


def document(source: SourceFile) -> Any:
    """Return the one JSON value that the whole file is.

    Raises:
        FormatError: it is no JSON, or too large to be held.
    """
    if source.size > LONGEST_DOCUMENT:
        raise FormatError(f"one document of {source.size >> 20} MiB is too large to be held", where=source.name)
    with source.open() as file:
        try:
            return parse(file.read().removeprefix(BOM))
        except FormatError as error:
            raise FormatError(error.what, where=source.name) from error


def records(source: SourceFile) -> Iterator[tuple[str, Any] | Orphan]:
    """Give (locator, value) of every record: a line each, an item of one list each, or the one document.

    A line that is no JSON is an `Orphan` (`bad_line`, or `truncated_source` for the last one). A `.jsonl` that holds
    one pretty-printed object is taken as that.
    """
    if _lined(source):
        for item in values(source):
            yield item if isinstance(item, Orphan) else (f"bytes:{item[0]}-{item[0] + item[1]}", item[2])
        return
    value = document(source)
    if isinstance(value, list):
        yield from ((f"/{number}", item) for number, item in enumerate(value))
    else:
        yield "", value


def values(source: SourceFile) -> Iterator[tuple[int, int, Any] | Orphan]:
    """Give (offset, size, value) of every line; one that is no JSON is an `Orphan`, as for `records`."""
    bad: Orphan | None = None
    for offset, line in lines(source):
        if bad is not None:
            yield bad
            bad = None
        try:
            value = parse(line)
        except FormatError as error:
            bad = Orphan("bad_line", {"offset": offset, "reason": error.what})
            continue
        yield offset, len(line), value
    if bad is not None:
        yield Orphan("truncated_source", bad.details)


def _lined(source: SourceFile) -> bool:
    """Tell JSON Lines from one document, also where the first line is longer than the head."""
    head = source.head
    if b"\n" in head or source.size <= len(head) or head.lstrip()[:1] != b"{":
        return is_lines(head)
    with source.open() as file:
        line = file.readline(LONGEST_LINE)
    return line.endswith(b"\n") and _whole(line.removeprefix(BOM).rstrip(b"\n"))


def is_lines(head: bytes) -> bool:
    """Tell JSON Lines from one document: the first line alone is a whole value, and something follows it."""
    text = head.removeprefix(BOM).lstrip()
    first, newline, rest = text.partition(b"\n")
    if not newline or not rest.strip():
        return text[:1] == b"{" and newline == b"\n" and _whole(first)
    return _whole(first) or (len(first) >= len(head) // 2 and text[:1] == b"{")


def _whole(line: bytes) -> bool:
    try:
        parse(line.rstrip(b"\r"))
    except FormatError:
        return False
    return True
