"""Seeded exploration of a device, over what is on its screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any, Self

from worldtape.collectors.android.elements import Element
from worldtape.collectors.policies._erring import errs
from worldtape.collectors.policies.explore_ui.config import ExploreUiConfig
from worldtape.collectors.policies.explore_ui.memory import Memory
from worldtape.collectors.policies.explore_ui.moves import Moves
from worldtape.collectors.policies.explore_ui.step import Plan, Step
from worldtape.collectors.policies.explore_ui.values import tables
from worldtape.collectors.policies.explore_ui.view import View
from worldtape.collectors.policies.explore_ui.voice import say
from worldtape.collectors.policies.explore_ui.wrong import wrong_step
from worldtape.errors import InputError
from worldtape.schemas import Action, History, PolicySpec, Status

_TRIES = 12
_LOST = 4
"""Turns without any change after which it goes back, or home."""
_FAULTY = 0.3
"""Of the forms, so many are filled wrongly."""


class ExploreUi:
    """Presses what can be pressed, fills fields, scrolls, answers dialogs, changes apps, and errs.

    It never repeats an action on a screen that is in the same state. What it needs to know of a screen stands in
    `history.tree`, the newest capture, which `worldtape.collectors.android.Android` keeps.

    Args:
        seed: decides everything that the screens do not.
        settings: the rest of `ExploreUiConfig`.
    """

    Config = ExploreUiConfig
    action_kinds = frozenset({"ui_action"})

    def __init__(self, seed: int = 0, **settings: Any) -> None:
        self.config = ExploreUiConfig.read({"seed": seed} | settings)
        told = self.config.model_dump(mode="json", exclude={"seed"})
        self.spec = PolicySpec(kind="explore-ui", seed=seed, parameters=told)
        self._rng = Random(f"worldtape explore-ui {seed}")  # noqa: S311
        self._memory = Memory(self.config.apps)
        inclined = self._rng.choice(sorted(tables()["inclinations"].values()))
        self._moves = Moves(self._memory, self._rng, inclined=inclined)
        self._plan: Plan = []

    @classmethod
    def from_config(cls, settings: Mapping[str, Any] | ExploreUiConfig) -> Self:
        """Make one from the settings of a job file.

        Raises:
            ConfigError: the settings cannot be used.
        """
        config = settings if isinstance(settings, ExploreUiConfig) else ExploreUiConfig.read(settings)
        return cls(**config.model_dump())

    async def next(self, history: History) -> Action | None:
        """Return the next action; None at the end, or when the device takes no more.

        Raises:
            InputError: the environment keeps no captures.
        """
        if not isinstance(history.tree, dict):
            raise InputError("the environment keeps no captures", where="explore-ui", fix="record with `android`")
        view = View.of(history.tree)
        if history.turns:
            if history.turns[-1][1].done or len(history.turns) == self.config.steps:
                return None
            self._learn(history)
        self._memory.see(view)
        return self._choose(view)

    def _learn(self, history: History) -> None:
        action, result = history.turns[-1]
        self._memory.turns += 1
        self._memory.failed += result.outcome.status is not Status.OK
        if action.name == "scroll":
            self._memory.scrolled[View.of(history.tree).place] += 1
        if result.outcome.status is not Status.OK and self._plan and self._rng.random() < 0.5:  # noqa: PLR2004
            self._plan = []

    def _choose(self, view: View) -> Action:
        """Return the first action of the plan, or of a new one, that can be done and was not done in this state."""
        for _ in range(_TRIES):
            if not self._plan:
                self._plan = self._draw(view)
            while self._plan:
                step = self._plan.pop(0)
                if step.verb == "mark":
                    self._memory.pressed["form", step.label] += 1
                    continue
                element = view.find(step.cls, step.label, step.nth) if step.cls else None
                if step.cls and element is None and step.aside:
                    continue
                if (step.cls and element is None) or self._memory.did(view, step.key):
                    self._plan = []
                    break
                return self._act(view, step, element)
        return say(Step("back"), None, view)

    def _act(self, view: View, step: Step, element: Element | None) -> Action:
        self._memory.do(view, step.key)
        if element is not None:
            self._memory.pressed[element.cls, view.label(element)] += 1
        return say(replace(step, by=self._by()) if step.by == "index" else step, element, view)

    def _by(self) -> str:
        drawn = self._rng.random()
        if drawn < self.config.by_point:
            return "point"
        return "selector" if drawn < self.config.by_point + self.config.by_selector else "index"

    def _draw(self, view: View) -> Plan:
        rng, home = self._rng, [Step("home")]
        if self._errs():
            return [wrong_step(view, rng)]
        if self._memory.still >= _LOST and not view.screen.alert:
            return [Step("back")] if rng.random() < 0.6 else home  # noqa: PLR2004
        moves = self._moves.on(view, faulty=rng.random() < _FAULTY)
        return rng.choices([move.plan for move in moves], [move.weight for move in moves])[0] if moves else home

    def _errs(self) -> bool:
        memory = self._memory
        return errs(self._rng, turns=memory.turns, failed=memory.failed, wished=self.config.failing)
