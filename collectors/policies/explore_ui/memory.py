"""What the explorer remembers of a trajectory."""

from __future__ import annotations

import re
from collections import Counter

from worldtape.collectors.android.elements import Element
from worldtape.collectors.policies.explore_ui.view import View

_WORD = re.compile(r"[^\W\d_]{4,}")
_KNOWN = 60


class Memory:
    """Screens, elements and words that were seen, and what was done where."""

    def __init__(self, apps: tuple[str, ...] = ()) -> None:
        self.apps = list(apps)
        self.words: list[str] = []
        self.places: Counter[str] = Counter()
        self.pressed: Counter[tuple[str, str]] = Counter()
        self.scrolled: Counter[str] = Counter()
        self.turns = 0
        self.failed = 0
        self.still = 0
        """Turns in a row after which nothing was different."""
        self._spread: Counter[tuple[str, str]] = Counter()
        self._done: set[tuple[object, ...]] = set()
        self._here = ""

    def see(self, view: View) -> None:
        """Take in a screen."""
        self.still = self.still + 1 if view.key == self._here else 0
        self._here = view.key
        fresh = view.place not in self.places
        self.places[view.place] += 1
        if view.app and view.app != "Home" and view.app not in self.apps:
            self.apps.append(view.app)
        if fresh:
            self._spread.update({(one.cls, view.label(one)) for one in view.pressed})
            found = [word for one in view.all for word in _WORD.findall(one.text)]
            self.words.extend(word for word in dict.fromkeys(found) if word not in self.words)
            del self.words[:-_KNOWN]

    def rarity(self, view: View, element: Element) -> float:
        """Return how special an element is to where it stands: 1, or less the more screens have it."""
        return 1 / max(1, self._spread[element.cls, view.label(element)])

    def novelty(self, view: View, element: Element) -> float:
        """Return 1, or less the more often it was pressed."""
        return 1 / (1 + 2 * self.pressed[element.cls, view.label(element)])

    def did(self, view: View, key: tuple[object, ...]) -> bool:
        """Say whether this was done in this very state."""
        return (view.key, key) in self._done

    def do(self, view: View, key: tuple[object, ...]) -> None:
        """Note that it is done in this state."""
        self._done.add((view.key, key))
