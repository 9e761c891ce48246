"""Calls of one model turn and their results, paired without guessing."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any, NamedTuple


class Paired(NamedTuple):
    """Results of the calls of one turn."""

    own: list[Any]
    """For each call its result, or null."""
    shared: Any
    """The one result of the whole turn, or null."""
    orphans: list[Any]
    """Results that belong to no call of the turn."""


def pair(calls: Sequence[str | None], results: Sequence[tuple[str | None, Any]]) -> Paired:
    """Pair calls with results by id, inside one turn.

    An id that occurs twice goes by order. Results without any id go by order where there is one for each call; a single
    one of several calls is shared by them all. A result whose id is unknown here is an orphan, never somebody's.

    Args:
        calls: ids of the calls, null where a call has none.
        results: (id of the call, result).
    """
    named = [(call, result) for call, result in results if call is not None]
    bare = [result for call, result in results if call is None]
    own: list[Any] = [None] * len(calls)
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for number, call in enumerate(calls):
        if call is not None:
            waiting[call].append(number)
    orphans = []
    for call, result in named:
        if waiting.get(call):
            own[waiting[call].popleft()] = result
        else:
            orphans.append(result)
    if not bare:
        return Paired(own, None, orphans)
    if not named and calls and len(bare) == len(calls):
        return Paired(bare, None, orphans)
    if not named and len(bare) == 1 and calls:
        return Paired(own, bare[0], orphans)
    return Paired(own, None, orphans + bare)
