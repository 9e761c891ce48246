"""Values that were seen in earlier answers, and which of them serve an argument."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.policies.explore_tools.names import Words, identifies, likeness, noun, singular, words
from worldtape.collectors.policies.explore_tools.prose import facts_of, plain_words

_MOST_VALUES = 4000
_MOST_PER_ANSWER = 600
_LONGEST = 300
_DEEP = 12
_MOST_WORDS = 600
_FREE = {"body", "comment", "content", "description", "message", "note", "query", "question", "reason", "text", "title"}
"""Properties whose text is anybody's choice."""

Scalar = str | int | float


@dataclass(slots=True)
class Known:
    """A value, what it was called, and the turn that showed it last."""

    name: Words
    value: Scalar
    turn: int


class Seen:
    """Remembers values by the names under which they stood.

    Attributes:
        turn: of the newest answer; values given beforehand are of turn −1.
        vocabulary: words of answers and of the instruction, the newest last.
    """

    def __init__(self) -> None:
        self.turn = -1
        self.vocabulary: dict[str, None] = {}
        self._known: dict[tuple[Words, str, str], Known] = {}

    def give(self, name: Words, value: Any) -> None:
        """Remember one value."""
        if isinstance(value, bool) or not isinstance(value, (str, int, float)) or not name:
            return
        if isinstance(value, str) and not (0 < len(value) <= _LONGEST):
            return
        key = (name, type(value).__name__, str(value))
        known = self._known.pop(key, None) or Known(name, value, self.turn)
        known.turn = self.turn
        self._known[key] = known
        while len(self._known) > _MOST_VALUES:
            del self._known[next(iter(self._known))]

    def answer(self, tool: str, arguments: dict[str, Any], texts: list[str], *, worked: bool) -> None:
        """Learn from the answer to a call: JSON by its keys, prose by its look."""
        self.turn += 1
        about = (noun(tool),) if tool else ()
        if worked:
            for name, value in _scalars(arguments, about, called=True):
                if name[-1] not in _FREE:
                    self.give(name, value)
        for text in texts:
            value = _json(text)
            if isinstance(value, (dict, list)):
                for name, scalar in _scalars(value, about):
                    self.give(name, scalar)
                    if isinstance(scalar, str):
                        self._hear(scalar)
            elif worked:
                self.read(text, arguments)

    def read(self, text: str, arguments: dict[str, Any] | None = None) -> None:
        """Learn from prose: addresses, paths, `name: value`, words."""
        places = [value for name, value in (arguments or {}).items() if isinstance(value, str) and _place(name)]
        for name, value in facts_of(text, places):
            self.give(name, value)
        self._hear(text)

    def values(self, wanted: Words, fits: Callable[[Any], bool], *, least: int = 2) -> list[tuple[Scalar, int]]:
        """Return values that serve a property, with the turn that showed them, oldest first: those most like it only.

        Args:
            wanted: what the property is called.
            fits: whether its schema takes a value; numbers written as text, and texts that are numbers, are tried both
                ways.
            least: how like they must be, see `likeness`.
        """
        by_likeness: dict[int, list[Known]] = {}
        for known in self._known.values():
            score = likeness(wanted, known.name)
            if score >= least:
                by_likeness.setdefault(score, []).append(known)
        for score in sorted(by_likeness, reverse=True):
            found: dict[Scalar, int] = {}
            for known in by_likeness[score]:
                for value in _spellings(known.value):
                    if fits(value):
                        found.pop(value, None)
                        found[value] = known.turn
                        break
            if found:
                return list(found.items())
        return []

    def _hear(self, text: str) -> None:
        for word in plain_words(text):
            self.vocabulary.pop(word, None)
            self.vocabulary[word] = None
        while len(self.vocabulary) > _MOST_WORDS:
            del self.vocabulary[next(iter(self.vocabulary))]


def _place(name: str) -> bool:
    return likeness(("path",), words(name)[-1:]) > 0


def _spellings(value: Scalar) -> list[Scalar]:
    if not isinstance(value, str):
        return [value, str(value)]
    if re.fullmatch(r"-?\d{1,15}", value):
        return [value, int(value)]
    return [value, float(value)] if re.fullmatch(r"-?\d{1,12}\.\d{1,6}", value) else [value]


def _json(text: str) -> Any:
    """Return the JSON value that a text is, or that each of its lines is; None where it is prose."""
    bare = text.strip()
    if bare[:1] not in ("{", "["):
        return None
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in bare.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return None


def _scalars(value: Any, holder: Words, *, called: bool = False) -> Iterator[tuple[Words, Scalar]]:
    left = [_MOST_PER_ANSWER]
    yield from _walk(value, holder, holder, left, 0, called=called)


def _walk(
    value: Any, name: Words, holder: Words, left: list[int], depth: int, *, called: bool
) -> Iterator[tuple[Words, Scalar]]:
    if depth > _DEEP or left[0] <= 0:
        return
    if isinstance(value, dict):
        inside = name if depth else holder
        for key, item in value.items():
            own = words(str(key))
            bare = isinstance(item, (str, int, float)) and len(own) == 1 and own[0] in ("id", "name", "code", "key")
            yield from _walk(item, (*inside[-1:], *own) if bare else own, inside, left, depth + 1, called=called)
    elif isinstance(value, list):
        for item in value:
            yield from _walk(item, name, holder, left, depth + 1, called=called)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool) and name:
        left[0] -= 1
        if isinstance(value, str) or identifies(name):
            yield tuple(map(singular, name)), value


__all__ = ["Known", "Scalar", "Seen"]
