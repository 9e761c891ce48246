"""What could be done next on a screen, and how much it is worth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from worldtape.collectors.android.elements import Element
from worldtape.collectors.policies.explore_ui.memory import Memory
from worldtape.collectors.policies.explore_ui.step import Plan, Step
from worldtape.collectors.policies.explore_ui.values import kind_of, tables, value
from worldtape.collectors.policies.explore_ui.view import View

_CLASSES = {"Button": 1.6, "MockButton": 1.4, "View": 1.0, "CheckBox": 0.7, "ToggleButton": 0.8, "RadioButton": 1.2}
_INCLINED = 5.0
_CAREFUL = 0.5
_ALERT = 3.0
_SKIPPED = 0.25


class Move(NamedTuple):
    """A way to go on."""

    weight: float
    plan: Plan


class Moves:
    """Lists what can be done.

    Args:
        memory: what was seen and done.
        rng: the policy's only source of chance.
        inclined: pattern of names that this trajectory is drawn to.
    """

    def __init__(self, memory: Memory, rng: Random, *, inclined: str) -> None:
        self.memory, self.rng = memory, rng
        self._inclined = re.compile(inclined)
        self._submits = re.compile(tables()["submits"])
        self._careful = re.compile(tables()["careful"])

    def on(self, view: View, *, faulty: bool) -> list[Move]:
        """Return what was not done in this state yet; `faulty`: fields are to be filled wrongly."""
        moves = [*self._form(view, faulty=faulty), *self._presses(view), *self._others(view)]
        return [move for move in moves if move.weight > 0 and not self.memory.did(view, move.plan[0].key)]

    def _form(self, view: View, *, faulty: bool) -> Iterator[Move]:
        fields = view.fields
        if not fields:
            return
        searches = [one for one in fields if kind_of(view.caption(one)) == "search"]
        for one in searches:
            yield Move(1.2 * self.memory.novelty(view, one), [self._typed(view, one, faulty=faulty)])
        others = [one for one in fields if one not in searches]
        if not others:
            return
        kept = [one for one in others if self.rng.random() > _SKIPPED] or others[:1]
        spoilt = set(self.rng.sample([one.index for one in kept], min(len(kept), 2 if faulty else 0)))
        plan = [self._typed(view, one, faulty=one.index in spoilt) for one in kept]
        plan = [step for step in plan if step.given["text"] or step.given.get("clear_text")]
        ends = [one for one in view.pressed if self._submits.search(view.label(one).lower())]
        if ends and len(others) == 1 and self.rng.random() < _SKIPPED:
            plan.append(Step("enter"))
        elif ends:
            plan.append(Step.on(view, "click", self.rng.choice(ends), aside=True))
        if plan:
            tried = self.memory.pressed["form", view.place]
            yield Move(4.0 / (1 + tried), [*plan, Step("mark", label=view.place)])

    def _typed(self, view: View, field: Element, *, faulty: bool) -> Step:
        given: dict[str, Any] = {"text": value(view.caption(field), self.memory, self.rng, wrong=faulty)}
        if field.text:
            given["clear_text"] = True
        return Step.on(view, "input_text", field, aside=True, **given)

    def _presses(self, view: View) -> Iterator[Move]:
        for one in view.pressed:
            label = view.label(one).lower()
            weight = (
                _CLASSES.get(one.short, 0.9) * self.memory.novelty(view, one) * (0.2 + self.memory.rarity(view, one))
            )
            if one.is_("selected"):
                weight *= 0.2
            if one.alert:
                weight *= _ALERT
            if self._careful.search(label) and not view.modal:
                weight *= _CAREFUL
            if self._inclined.search(label):
                weight *= _INCLINED
            yield Move(weight, [Step.on(view, "click", one)])
        for one in view.held:
            yield Move(0.3 * self.memory.novelty(view, one), [Step.on(view, "long_press", one)])

    def _others(self, view: View) -> Iterator[Move]:
        rng, memory = self.rng, self.memory
        for one in view.scrolled:
            down = memory.scrolled[view.place]
            yield Move(0.6 / (1 + down), [Step.on(view, "scroll", one, direction="down")])
            if down:
                yield Move(0.5, [Step.on(view, "scroll", one, direction="up")])
        if view.screen.alert:
            return
        if len(memory.places) > 1:
            yield Move(0.5, [Step("back")])
        if view.scrolled:
            yield Move(0.1, [Step("swipe", given={"direction": rng.choice(("up", "down"))})])
        yield Move(0.06, [Step("home")])
        yield Move(0.06, [Step("wait", given={"seconds": 0.2})])
        if memory.apps:
            yield Move(0.12, [Step("open_app", given={"app_name": rng.choice(memory.apps)})])
