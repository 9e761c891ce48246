"""What the explorer remembers of a trajectory."""

from __future__ import annotations

import re
from collections import Counter

from worldtape.collectors.policies.explore_web.page import Page
from worldtape.collectors.web.tree import Element

_ACCOUNT = re.compile(r"([\w.@+-]+) with (?:the password )?([\w-]*\w)")
_CODE = re.compile(r"\b[A-Z]{4,}\d{1,3}\b")
_NUMBER = re.compile(r"\b\d{4,6}\b")
_WORD = re.compile(r"[^\W\d_]{4,}")
_NAME = re.compile(r"[a-z][a-z0-9_-]{2,19}")


class Memory:
    """Pages, elements and words that were seen, and what was done where.

    Args:
        accounts: names and passwords that are known from the start.
    """

    def __init__(self, accounts: tuple[tuple[str, str], ...] = ()) -> None:
        self.accounts: dict[str, str] = dict(accounts)
        self.codes: list[str] = []
        self.numbers: list[str] = []
        self.names: list[str] = []
        self.words: list[str] = []
        self.places: Counter[str] = Counter()
        self.states: Counter[str] = Counter()
        self.pressed: Counter[tuple[str, str]] = Counter()
        self.turns = 0
        self.failed = 0
        self.still = 0
        """Turns in a row after which nothing was different."""
        self.password: str | None = None
        """The one that was typed last, to be repeated."""
        self._spread: Counter[tuple[str, str]] = Counter()
        self._done: set[tuple[object, ...]] = set()
        self._here = ""

    def see(self, page: Page) -> None:
        """Take in a page."""
        self.still = self.still + 1 if page.key == self._here else 0
        self._here = page.key
        fresh = page.place not in self.places
        self.places[page.place] += 1
        self.states[page.key] += 1
        self.accounts |= {
            name: word for name, word in _ACCOUNT.findall(page.text) if any(map(str.isdigit, word + name))
        }
        _add(self.codes, _CODE.findall(page.text))
        links = [one for one in page.active if one.role == "link"]
        _add(self.numbers, [one.name for one in links if _NUMBER.fullmatch(one.name)])
        _add(self.names, [one.name for one in links if _NAME.fullmatch(one.name)])
        _add(self.words, [word.lower() for one in links if page.in_main(one) for word in _WORD.findall(one.name)])
        if fresh:
            self._spread.update({(one.role, one.name) for one in page.active})

    def rarity(self, element: Element) -> float:
        """Return how special an element is to where it stands: 1, or less the more pages have it."""
        return 1 / max(1, self._spread[element.role, element.name])

    def novelty(self, element: Element) -> float:
        """Return 1, or less the more often it was pressed."""
        return 1 / (1 + 2 * self.pressed[element.role, element.name])

    def did(self, page: Page, key: tuple[object, ...]) -> bool:
        """Say whether this was done in this very state."""
        return (page.key, key) in self._done

    def do(self, page: Page, key: tuple[object, ...]) -> None:
        """Note that it is done in this state."""
        self._done.add((page.key, key))


def _add(known: list[str], found: list[str]) -> None:
    known.extend(word for word in dict.fromkeys(found) if word not in known)
