"""Counts that add up, whatever order they are added in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

Plain = Mapping[str, Mapping[str, int]]


class Counts:
    """Named groups of named numbers: `counts.add("dropped", "rules: empty_action")`."""

    def __init__(self, plain: Plain | None = None) -> None:
        self._groups: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        if plain:
            self.merge(plain)

    def add(self, group: str, name: str | None, number: int = 1) -> None:
        """Add `number` to one count; a missing name is `unknown`, and adding nothing leaves no name behind."""
        if number:
            self._groups[group]["unknown" if name is None else name] += number

    def merge(self, plain: Plain) -> None:
        """Add every count of another."""
        for group, names in plain.items():
            for name, number in names.items():
                self._groups[group][name] += number

    def group(self, name: str) -> dict[str, int]:
        """Return one group, largest first, then by name."""
        return dict(sorted(self._groups.get(name, {}).items(), key=lambda item: (-item[1], item[0])))

    def plain(self) -> dict[str, dict[str, int]]:
        """Return everything as plain dicts, sorted by name."""
        return {group: dict(sorted(self._groups[group].items())) for group in sorted(self._groups)}
