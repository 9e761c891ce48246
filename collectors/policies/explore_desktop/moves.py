"""What could be done next on a desktop, and how much it is worth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from worldtape.collectors.desktop.widgets import Widget
from worldtape.collectors.policies.explore_desktop.memory import Memory
from worldtape.collectors.policies.explore_desktop.scene import Scene
from worldtape.collectors.policies.explore_desktop.step import Plan, Step
from worldtape.collectors.policies.explore_desktop.values import is_calculator, tables, text_for

_ROLES = {
    "check box": 1.0, "combo box": 0.8, "icon": 1.2, "list item": 0.7, "menu": 1.6, "page tab": 1.2, "push button": 1.4,
    "radio button": 1.0, "table cell": 0.8, "table column header": 0.5, "toggle button": 1.2,
}  # fmt: skip
"""Role to what a press is worth."""
_INCLINED = 5.0
_LEAVES = 0.04
_HIDES = 0.1
_SUM = re.compile(r"\d|[-+*/=.()]")


class Move(NamedTuple):
    """A way to go on."""

    weight: float
    plan: Plan


class Moves:
    """Lists what can be done.

    Args:
        memory: what was done.
        rng: the policy's only source of chance.
        inclined: pattern of names (lower case) that this trajectory is drawn to.
    """

    def __init__(self, memory: Memory, rng: Random, *, inclined: str) -> None:
        self.memory, self.rng = memory, rng
        self.inclined = re.compile(inclined)

    def on(self, scene: Scene) -> list[Move]:
        """Return what was not done in this state yet."""
        if scene.items:
            moves = self._items(scene)
        elif scene.dialog is not None:
            moves = self._dialog(scene)
        else:
            moves = self._window(scene)
        return [move for move in moves if move.weight > 0 and not self.memory.did(scene, move.plan[0].key)]

    def _items(self, scene: Scene) -> Iterator[Move]:
        for one in scene.usable:
            yield Move(2.0 * self._worth(one, scene), [_on(scene, "click", one)])
        for one in scene.disabled[:2]:
            yield Move(0.05, [_on(scene, "click", one)])
        yield Move(0.3, [Step("press", value="escape")])
        yield Move(0.2, [Step("press", value="down"), Step("press", value="enter")])

    def _dialog(self, scene: Scene) -> Iterator[Move]:
        fields = [one for one in scene.usable if one.typed]
        accepts = [one for one in scene.usable if one.role == "push button" and "is-default" in one.states]
        accept = _on(scene, "click", accepts[0]) if accepts else Step("press", value="enter")
        for one in fields:
            fill = _on(scene, "fill", one, text_for(one, scene, self.rng))
            yield Move(3.0 * self.memory.novelty(one), [fill, self.rng.choice((accept, Step("press", value="enter")))])
        tired = self.memory.stay / 2
        for one in scene.usable:
            if one.role in _ROLES:
                ends = one.role == "push button" and one.name.lower() in tables()["ends"]
                yield Move(_ROLES[one.role] * self._worth(one, scene) + ends * tired, [_on(scene, "click", one)])
            if one.role in {"table cell", "list item", "icon"} and one.name:
                yield Move(0.5 * self.memory.novelty(one), [_on(scene, "double", one)])
        yield Move(0.3 + tired / 2, [Step("press", value="escape")])

    def _window(self, scene: Scene) -> Iterator[Move]:
        yield from self._presses(scene)
        yield from self._texts(scene)
        yield from self._files(scene)
        yield from self._sums(scene)
        yield from self._keys(scene)

    def _presses(self, scene: Scene) -> Iterator[Move]:
        pressed = [one for one in scene.usable if one.role in _ROLES and not one.typed]
        for one in pressed:
            crowd = sum(other.role == one.role for other in pressed)
            weight = _ROLES[one.role] * self._worth(one, scene) * min(1.0, 5 / crowd)
            yield Move(weight, [_on(scene, "click", one)])
        for one in scene.disabled[:3]:
            yield Move(0.08, [_on(scene, "click", one)])

    def _texts(self, scene: Scene) -> Iterator[Move]:
        for one in scene.usable:
            if not one.typed:
                continue
            text = text_for(one, scene, self.rng)
            if "multi-line" not in one.states:
                yield Move(
                    1.2 * self.memory.novelty(one), [_on(scene, "fill", one, text), Step("press", value="enter")]
                )
                continue
            begin = [] if "focused" in one.states else [_on(scene, "click", one)]
            yield Move(3.0 / (1 + 0.5 * self.memory.uses["write"]), [*begin, Step("write", value=text)])
            if one.text:
                yield Move(0.6, [_on(scene, "drag", one), Step("hotkey", value=self._hotkey("any"))])
                yield Move(0.5, [_on(scene, "double", one)])
                yield Move(0.5, [_on(scene, "right", one)])
                yield Move(0.6, [*begin, Step("hotkey", value=self._hotkey("text"))])
            if scene.window.startswith("*"):
                yield Move(1.2, [Step("hotkey", value=("ctrl", "s"))])
                yield Move(0.35, [Step("hotkey", value=self.rng.choice((("alt", "f4"), ("ctrl", "w"))))])

    def _files(self, scene: Scene) -> Iterator[Move]:
        rows = [one for one in scene.usable if one.role in {"icon", "table cell"} and (one.name or one.text)]
        for one in rows:
            share = min(1.0, 4 / len(rows)) * self.memory.novelty(one)
            yield Move(1.0 * share, [_on(scene, "double", one)])
            yield Move(1.2 * share, [_on(scene, "right", one)])
            yield Move(0.4 * share, [_on(scene, "click", one), Step("press", value="f2")])
            yield Move(0.4 * share, [_on(scene, "click", one), Step("press", value="delete")])
        if rows:
            yield Move(0.8, [Step("hotkey", value=self._hotkey("folder"))])

    def _sums(self, scene: Scene) -> Iterator[Move]:
        if not is_calculator(scene):
            return
        text = self.rng.choice(tables()["sums"])
        yield Move(2.0 / (1 + self.memory.uses["write"]), [Step("write", value=text), Step("press", value="enter")])
        keys = [key for key in [*_SUM.findall(text), "="] if scene.find_named(key) is not None]
        steps = [_on(scene, "click", one) for key in keys if (one := scene.find_named(key)) is not None]
        if len(steps) > 2:  # noqa: PLR2004 — less is no sum
            yield Move(2.5, steps)

    def _keys(self, scene: Scene) -> Iterator[Move]:
        yield Move(0.5, [Step("hotkey", value=self._hotkey("any"))])
        yield Move(0.4, [Step("press", value=self.rng.choice(tables()["presses"]))])
        broad = [one for one in scene.usable if one.box[3] > 150]  # noqa: PLR2004 — pixels, worth scrolling
        if broad:
            yield Move(0.3, [_on(scene, "scroll", self.rng.choice(broad), self.rng.choice((-5, -3, 3)))])

    def _hotkey(self, kind: str) -> tuple[str, ...]:
        return tuple(self.rng.choice(tables()["hotkeys"][kind]))

    def _worth(self, widget: Widget, scene: Scene) -> float:
        name = (widget.name or widget.text or "").lower()
        weight = self.memory.novelty(widget) * (_INCLINED if self.inclined.search(name) else 1.0)
        if any(word in name for word in tables()["leaves"]):
            weight *= _LEAVES if scene.windows < 2 else 6 * _LEAVES  # noqa: PLR2004 — the last window
        return weight * (_HIDES if any(word in name for word in tables()["hides"]) else 1.0)


def _on(scene: Scene, verb: str, widget: Widget, value: object = None) -> Step:
    return Step(verb, widget.role, widget.name, scene.nth(widget), value)
