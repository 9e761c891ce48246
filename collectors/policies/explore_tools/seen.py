"""Values that were seen in earlier answers, and which of them serve an argument."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.policies.explore_tools.json_facts import Scalar, json_of, records, scalars
from worldtape.collectors.policies.explore_tools.names import FREE, PATHS, Words, likeness, noun, place, words
from worldtape.collectors.policies.explore_tools.prose import facts_of, phrases, plain_words

_MOST_VALUES, _MOST_RECORDS, _MOST_WORDS, _MOST_PHRASES = 4000, 1000, 600, 200
_LONGEST = 300
_LONGEST_LABEL = 24
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d.*)?")


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
        records: the id of a thing to its other fields, as they were told last.
        vocabulary: words of answers and of the instruction, the newest last.
        dates: days and moments of answers, the newest last.
        phrases: lines and texts of answers, the newest last.
    """

    def __init__(self) -> None:
        self.turn = -1
        self.records: dict[Scalar, dict[Words, Scalar]] = {}
        self.vocabulary: dict[str, None] = {}
        self.dates: dict[str, None] = {}
        self.phrases: dict[str, None] = {}
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
        _trim(self._known, _MOST_VALUES)
        if isinstance(value, str) and _DATE.fullmatch(value):
            for date in (value, value[:10]):
                self.dates.pop(date, None)
                self.dates[date] = None
            _trim(self.dates, _MOST_PHRASES)

    def answer(
        self, tool: str, arguments: dict[str, Any], texts: list[str], *, worked: bool, right: bool = True
    ) -> None:
        """Learn from the answer to a call: JSON by its keys, prose by its look.

        Args:
            tool: its name.
            arguments: what it was given; they are real where the call was `right` and `worked`.
            texts: the answer, in all its forms.
            worked: whether it was no error.
            right: whether it was meant to work.
        """
        self.turn += 1
        about = (noun(tool),) if tool else ()
        if worked and right:
            for name, value in scalars(arguments, about):
                if name[-1] not in FREE:
                    self.give(place(name, tool), value)
        for text in texts:
            value = json_of(text)
            if value is not None:
                self._learn(value, about)
            elif worked:
                self.read(text, arguments)

    def read(self, text: str, arguments: dict[str, Any] | None = None, *, heard: bool = True) -> None:
        """Learn from prose: addresses, paths, `name: value`; words and phrases where it is `heard`."""
        places = [value for name, value in (arguments or {}).items() if isinstance(value, str) and _place(name)]
        for name, value in facts_of(text, places):
            self.give(name, value)
        if heard:
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
        others = self._of_other_kinds(wanted)
        for known in self._known.values():
            score = likeness(wanted, known.name)
            if score >= least and known.value not in others:
                by_likeness.setdefault(score, []).append(known)
        for score in sorted(by_likeness, reverse=True):
            found = _fitting(by_likeness[score], fits)
            if found:
                return found
        return []

    def _of_other_kinds(self, wanted: Words) -> set[Scalar]:
        """Return the paths that are known to be of another kind: folders where a file is wanted."""
        if wanted not in PATHS:
            return set()
        same = {known.value for known in self._known.values() if known.name == wanted}
        return {known.value for known in self._known.values() if known.name in PATHS and known.name != wanted} - same

    def named_in(self, told: Words, fits: Callable[[Any], bool]) -> list[tuple[Scalar, int]]:
        """Return values all of whose name's words stand in a description: `entity name` in "the entity's name"."""
        inside = [known for known in self._known.values() if len(known.name) > 1 and set(known.name) <= set(told)]
        return _fitting(inside, fits)

    def labels(self, value: Any) -> set[str]:
        """Return what is said of a thing in a word or two (`shipped`, `manager`), lower case."""
        if not isinstance(value, (str, int, float)):
            return set()
        return {
            field.lower()
            for field in self.records.get(value, {}).values()
            if isinstance(field, str) and len(field) <= _LONGEST_LABEL
        }

    def _learn(self, value: Any, about: Words) -> None:
        for name, scalar in scalars(value, about):
            self.give(name, scalar)
            if isinstance(scalar, str):
                self._hear(scalar)
        for key, fields in records(value):
            self.records[key] = self.records.pop(key, {}) | fields
            _trim(self.records, _MOST_RECORDS)

    def _hear(self, text: str) -> None:
        for heard, found, most in (
            (self.vocabulary, plain_words(text), _MOST_WORDS),
            (self.phrases, phrases(text), _MOST_PHRASES),
        ):
            for item in found:
                heard.pop(item, None)
                heard[item] = None
            _trim(heard, most)


def _trim(kept: dict[Any, Any], most: int) -> None:
    while len(kept) > most:
        del kept[next(iter(kept))]


def _fitting(candidates: list[Known], fits: Callable[[Any], bool]) -> list[tuple[Scalar, int]]:
    found: dict[Scalar, int] = {}
    for known in candidates:
        for value in _spellings(known.value):
            if fits(value):
                found.pop(value, None)
                found[value] = known.turn
                break
    return list(found.items())


def _place(name: str) -> bool:
    return likeness(("path",), words(name)[-1:]) > 0


def _spellings(value: Scalar) -> list[Scalar]:
    if not isinstance(value, str):
        return [value, str(value)]
    if re.fullmatch(r"-?\d{1,15}", value):
        return [value, int(value)]
    return [value, float(value)] if re.fullmatch(r"-?\d{1,12}\.\d{1,6}", value) else [value]


__all__ = ["Known", "Seen"]
