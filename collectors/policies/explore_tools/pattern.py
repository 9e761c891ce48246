"""Texts that a regular expression matches."""

from __future__ import annotations

import re
import string
from functools import lru_cache
from random import Random
from typing import Any

_MOST_REPEATS = 4
_PLAIN = string.ascii_lowercase + string.digits
_CATEGORIES = {"CATEGORY_DIGIT": string.digits, "CATEGORY_SPACE": " ", "CATEGORY_WORD": _PLAIN + "_"}


class _UnfitError(Exception):
    """A construct that is not spoken here."""


def matching(pattern: str, rng: Random) -> str | None:
    """Return a short text that `pattern` finds, None where it uses what is not spoken here (look-around, …)."""
    try:
        text = "".join(_one(item, rng) for item in _parsed(pattern))
        return text if re.search(pattern, text) else None
    except (_UnfitError, re.error, RecursionError, OverflowError):
        return None


@lru_cache(maxsize=256)
def _parsed(pattern: str) -> Any:
    parser: Any = re._parser  # type: ignore[attr-defined]  # noqa: SLF001
    return parser.parse(pattern)


def _all(items: Any, rng: Random) -> str:
    return "".join(_one(item, rng) for item in items)


def _one(item: Any, rng: Random) -> str:  # noqa: PLR0911
    name, value = str(item[0]), item[1]
    if name == "LITERAL":
        return chr(value)
    if name == "NOT_LITERAL":
        return rng.choice([char for char in _PLAIN if ord(char) != value])
    if name == "ANY":
        return rng.choice(_PLAIN)
    if name == "IN":
        return rng.choice(_chars(value))
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, inner = value
        return "".join(_all(inner, rng) for _ in range(rng.randint(low, min(int(high), low + _MOST_REPEATS))))
    if name == "SUBPATTERN":
        return _all(value[-1], rng)
    if name == "ATOMIC_GROUP":
        return _all(value, rng)
    if name == "BRANCH":
        return _all(rng.choice(value[1]), rng)
    if name == "AT":
        return ""
    raise _UnfitError(name)


def _chars(items: Any) -> str:
    found, inverse = "", False
    for kind, value in items:
        name = str(kind)
        if name == "NEGATE":
            inverse = True
        elif name == "LITERAL":
            found += chr(value)
        elif name == "RANGE":
            found += "".join(map(chr, range(value[0], min(value[1], value[0] + 127) + 1)))
        elif str(value) in _CATEGORIES:
            found += _CATEGORIES[str(value)]
        else:
            raise _UnfitError(str(value))
    return "".join(char for char in _PLAIN + " -" if char not in found) if inverse else found


__all__ = ["matching"]
