"""What the explorer remembers of a trajectory."""

from __future__ import annotations

from collections import Counter

from worldtape.collectors.desktop.widgets import Widget
from worldtape.collectors.policies.explore_desktop.scene import Scene


class Memory:
    """Screens and widgets that were seen, and what was done where."""

    def __init__(self) -> None:
        self.turns = 0
        self.failed = 0
        self.still = 0
        """Turns in a row after which nothing was different."""
        self.pressed: Counter[tuple[str, str, str]] = Counter()
        self.stay = 0
        """Turns in a row with this window in front."""
        self.uses: Counter[str] = Counter()
        """How often something of a kind was done."""
        self._done: set[tuple[object, ...]] = set()
        self._here = ""
        self._window: str | None = None

    def see(self, scene: Scene) -> None:
        """Take in a screen."""
        self.still = self.still + 1 if scene.key == self._here else 0
        self._here = scene.key
        self.stay = self.stay + 1 if scene.window == self._window else 0
        self._window = scene.window

    def novelty(self, widget: Widget) -> float:
        """Return 1, or less the more often it was pressed."""
        return 1 / (1 + 2 * self.pressed[self._name(widget)])

    def press(self, widget: Widget) -> None:
        """Note that something was done to a widget."""
        self.pressed[self._name(widget)] += 1

    def did(self, scene: Scene, key: tuple[object, ...]) -> bool:
        """Say whether this was done in this very state."""
        return (scene.key, key) in self._done

    def do(self, scene: Scene, key: tuple[object, ...]) -> None:
        """Note that it is done in this state."""
        self._done.add((scene.key, key))

    @staticmethod
    def _name(widget: Widget) -> tuple[str, str, str]:
        text = "" if widget.typed else (widget.text or "")[:40]
        return (widget.application, widget.role, widget.name or text)
