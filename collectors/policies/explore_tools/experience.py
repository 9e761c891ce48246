"""What calling has taught about the tools: which change things, which fail with what, what an error points to."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from worldtape.collectors.policies.explore_tools.names import words
from worldtape.collectors.policies.explore_tools.seen import Seen

Call = tuple[str, dict[str, Any]]
_HARSH = {"delete", "remove", "drop", "clear", "reset", "cancel", "purge", "discontinue"}
_READING = {"check", "count", "describe", "fetch", "find", "get", "list", "query", "read", "search", "show", "whoami"}
_RECENT = 200
_WORD = re.compile(r"[a-z][a-z_-]+")


class Experience:
    """Learns from the answers to right calls; wrong ones teach nothing of the tool.

    Args:
        names: of all tools.

    Attributes:
        wanted: tool to what has to be said of the things it takes, as its errors told (`shipped`).
        failed: tool to the values that it failed with, and how often; each change of the state takes one away.
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.wanted: defaultdict[str, set[str]] = defaultdict(set)
        self.failed: defaultdict[str, Counter[Any]] = defaultdict(Counter)
        self.uses: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()
        self._points: dict[str, str] = {}
        """A tool to the one that its newest error named."""
        self._moved: Counter[str] = Counter()
        self._still: Counter[str] = Counter()
        self._won: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()

    def learn(self, call: Call, seen: Seen, text: str, *, worked: bool, moved: bool) -> None:
        """Take the answer to a right call.

        Args:
            call: its tool and arguments.
            seen: what is known of the things it names.
            text: of the answer.
            worked: whether it was no error.
            moved: whether the state is another one now.
        """
        name = call[0]
        if moved:
            self._moved[name] += 1
            for tool, counts in self.failed.items():
                mended = self._points.get(tool) == name
                self._losses[tool] = 0 if mended else self._losses[tool]
                least = max(counts.values(), default=0) if mended else 1
                self.failed[tool] = Counter({value: count - least for value, count in counts.items() if count > least})
        (self._won if worked else self._lost)[name] += 1
        if worked:
            self._losses[name] = 0
            self._still[name] += not moved
            return
        self._losses[name] += 1
        self._points[name] = self.pointed_to(text, call) or ""
        named = list(_leaves(call[1]))
        self.failed[name].update(set(named))
        own = {label for value in named for label in seen.labels(value)}
        self.wanted[name] |= self.said(text, seen) - own

    def words(self, text: str) -> set[str]:
        """Return the words of an error."""
        return set(_WORD.findall(text.lower()))

    def own(self, text: str, seen: Seen) -> set[str]:
        """Return what is said of the things that a text names."""
        named = [record for record in list(seen.records)[-_RECENT:] if isinstance(record, str) and record in text]
        return {label for record in named for label in seen.labels(record)}

    def said(self, text: str, seen: Seen) -> set[str]:
        """Return the words of a text that are said of things (states, roles, kinds), but not of those it names."""
        told = self.words(text)
        found = {label for record in list(seen.records)[-_RECENT:] for label in seen.labels(record) if label in told}
        return found - self.own(text, seen)

    def moves(self, name: str) -> bool:
        """Return whether a tool has changed the state, or is sure to by its name."""
        return self._moved[name] > 0 or bool(_HARSH & set(words(name)))

    def pointed_to(self, text: str, call: Call) -> str | None:
        """Return the tool that an error names beside the one that failed, None where there is none."""
        found = [(text.rfind(name), name) for name in self.names if name != call[0] and name in text]
        return max(found)[1] if found else None

    def weight(self, name: str, caution: float = 0.0, push: float = 0.0) -> float:
        """Return how much a tool is worth calling: rarely called ones and those that change things more.

        Args:
            name: of the tool.
            caution: 0 to 1; the more, the less those that often fail.
            push: 0 to 1; the more, the rather those that change things.
        """
        weight = math.pow(1 + self.uses[name], -0.75)
        if self._moved[name]:
            weight *= 2.5 + 4 * push
        elif self._still[name] or _READING & set(words(name)[:1]):
            weight *= 0.5 - 0.3 * push
        if _HARSH & set(words(name)):
            weight *= 0.5
        hope = (self._won[name] + 1) / (self._won[name] + self._lost[name] + 1.5)
        luck = (1.0, 0.6, 0.3, 0.12)[min(self._losses[name], 3)]
        return math.pow(hope, 1 + 8 * caution) * weight * luck


def _leaves(value: Any) -> Iterator[str | int | float]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, (str, int, float)):
        yield value


__all__ = ["Call", "Experience"]
