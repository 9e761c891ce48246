"""What stands in JSON: values by their keys, and records by their ids."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from worldtape.collectors.policies.explore_tools.names import Words, identifies, words
from worldtape.collectors.policies.explore_tools.prose import coded

Scalar = str | int | float
_MOST_PER_ANSWER = 600
_DEEP = 12
_BARE = {"code", "id", "key", "name"}
"""Keys that say nothing without the name of what they belong to."""
_HOLDING = {"data", "entry", "item", "object", "record", "result", "row", "value"}
"""Names of lists that say nothing of what is in them."""


def json_of(text: str) -> Any:
    """Return the object or array that a text is, or the array of its lines; None where it is prose."""
    bare = text.strip()
    if bare[:1] not in ("{", "["):
        return None
    for read in (json.loads, _lines):
        try:
            found = read(bare)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, (dict, list)) else None
    return None


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def scalars(value: Any, holder: Words) -> Iterator[tuple[Words, Scalar]]:
    """Yield texts and numbers with what they are called, no more than some hundreds.

    Args:
        value: of JSON.
        holder: what the whole is about: `id` in the answer of `get_order` is an order's.
    """
    left = _MOST_PER_ANSWER
    for name, found in _walk(value, holder, 0):
        yield name, found
        left -= 1
        if left == 0:
            return


def _walk(value: Any, name: Words, depth: int) -> Iterator[tuple[Words, Scalar]]:
    if depth > _DEEP:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            own = words(str(key))
            nested = isinstance(item, (dict, list))
            if len(own) == 1 and own[0] in (_HOLDING if nested else _BARE):
                own = name if nested else (*name[-1:], *own)
            yield from _walk(item, own, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _walk(item, name, depth + 1)
    elif _scalar(value) and name:
        yield name, value


def records(value: Any, depth: int = 0) -> Iterator[tuple[Scalar, dict[Words, Scalar]]]:
    """Yield the id of each object that has one, with its other texts and numbers."""
    if depth > _DEEP:
        return
    if isinstance(value, dict):
        plain = {words(str(key)): item for key, item in value.items() if _scalar(item)}
        own = next(
            (key for key, item in plain.items() if identifies(key) or (isinstance(item, str) and coded(item))), None
        )
        if own is not None:
            yield plain[own], {key: item for key, item in plain.items() if key != own}
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from records(item, depth + 1)


def _scalar(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


__all__ = ["Scalar", "json_of", "records", "scalars"]
