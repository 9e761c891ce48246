"""What must stand in an environment's own state when a task is solved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_LENGTH = "#"
_ABSENT = object()
_SHOWN = 5


def unmet(expected: Mapping[str, Any], state: Any) -> list[str]:
    """Return what `state` does not hold, one line each; empty: the task is solved.

    Args:
        expected: path to value. A path is names and indices joined by dots: `orders.0.status`; `*` stands for any item
            of a list or mapping (one that fits is enough), `#` for a length; a name may hold dots itself, as that of a
            file. A mapping as value needs to be held in part only, anything else must be equal.
        state: JSON types.
    """
    return [_told(path, value, state) for path, value in expected.items() if not _holds(path, value, state)]


def _told(path: str, value: Any, state: Any) -> str:
    found = [f"{item!r:.60}" for item in _at(path.split("."), state) if item is not _ABSENT]
    more = ", …" * (len(found) > _SHOWN)
    return f"{path} is {', '.join(found[:_SHOWN]) or 'not there'}{more}, not {value!r:.60}"


def _holds(path: str, value: Any, state: Any) -> bool:
    return any(_fits(value, found) for found in _at(path.split("."), state))


def _fits(value: Any, found: Any) -> bool:
    if isinstance(value, Mapping) and isinstance(found, Mapping):
        return all(_fits(part, found.get(name, _ABSENT)) for name, part in value.items())
    return bool(value == found) and isinstance(value, bool) == isinstance(found, bool)


def _at(path: list[str], state: Any) -> Iterator[Any]:
    if not path:
        yield state
        return
    name, rest = path[0], path[1:]
    if name == _LENGTH and isinstance(state, (list, tuple, Mapping)):
        yield from _at(rest, len(state))
    elif name == "*" and isinstance(state, (list, tuple, Mapping)):
        for item in state.values() if isinstance(state, Mapping) else state:
            yield from _at(rest, item)
    else:
        length, found = _first(path, state)
        yield from iter((_ABSENT,)) if found is _ABSENT else _at(path[length:], found)


def _first(path: list[str], state: Any) -> tuple[int, Any]:
    """Return how many parts of a path name a member, as few as do, and the member."""
    for length in range(1, len(path) + 1 if isinstance(state, Mapping) else 2):
        found = _member(state, ".".join(path[:length]))
        if found is not _ABSENT:
            return length, found
    return 0, _ABSENT


def _member(state: Any, name: str) -> Any:
    if isinstance(state, Mapping):
        return state.get(name, _ABSENT)
    if isinstance(state, (list, tuple)) and name.lstrip("-").isdigit() and -len(state) <= int(name) < len(state):
        return state[int(name)]
    return _ABSENT
