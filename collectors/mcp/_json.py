"""Frames read leniently: what a peer sends is kept and understood as far as it can be."""

from __future__ import annotations

import json
from typing import Any

import orjson

from worldtape.schemas import canonical_json


class _Garbage:
    """What is no JSON."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "GARBAGE"


GARBAGE = _Garbage()


def parse(line: bytes) -> Any:
    """Return the JSON value of a line, or `GARBAGE`; bytes that are no UTF-8 are read as U+FFFD."""
    try:
        return orjson.loads(line)
    except ValueError:
        pass
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return GARBAGE


def messages(line: bytes) -> list[Any]:
    """Return the JSON-RPC messages of a line: those of a batch one by one, none where it is garbage."""
    value = parse(line)
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]


def canonical(value: Any) -> str | None:
    """Return `value` as canonical JSON; None where it is nested deeper than can be written."""
    try:
        return canonical_json(value)
    except RecursionError:
        return None


def clean(text: str) -> str:
    """Return `text` with lone surrogates replaced by U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def id_key(value: Any) -> str | None:
    """Return what an id is compared by: 7 and "7" are one, as in the SDKs; None where it is no id."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


class Lines:
    """Splits a stream of bytes into lines at line feeds only; each keeps its own."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes, split anywhere, and return the lines that are whole now."""
        end = data.rfind(b"\n") + 1
        if not end:
            if data:
                self._rest.append(data)
            return []
        whole = b"".join((*self._rest, data[:end])) if self._rest else data[:end]
        self._rest = [data[end:]] if end < len(data) else []
        return whole.splitlines(keepends=True) if b"\r" not in whole else _split(whole)

    def rest(self) -> bytes:
        """Return and forget what has no line feed yet."""
        rest, self._rest = b"".join(self._rest), []
        return rest


def _split(whole: bytes) -> list[bytes]:
    return [line + b"\n" for line in whole.split(b"\n")[:-1]]
