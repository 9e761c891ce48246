"""Seeded exploration of a desktop, over what shows on it."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Self

from worldtape.collectors.desktop.widgets import Widget
from worldtape.collectors.policies._erring import errs
from worldtape.collectors.policies.explore_desktop.config import ExploreDesktopConfig
from worldtape.collectors.policies.explore_desktop.memory import Memory
from worldtape.collectors.policies.explore_desktop.moves import Moves
from worldtape.collectors.policies.explore_desktop.say import say
from worldtape.collectors.policies.explore_desktop.scene import Scene
from worldtape.collectors.policies.explore_desktop.step import Plan, Step
from worldtape.collectors.policies.explore_desktop.values import tables
from worldtape.collectors.policies.explore_desktop.wrong import wrong_step
from worldtape.errors import InputError
from worldtape.schemas import Action, History, PolicySpec, Status

_TRIES = 12
_STUCK = 3
"""Turns without any change after which it leaves what is in front."""
_GIVEN_UP = 0.5
"""So often a plan ends when one of its steps fails."""


class ExploreDesktop:
    """Opens menus, fills dialogs, types, saves, closes, errs; by what shows and is enabled.

    It never repeats an action on a desktop that is in the same state. What it needs to know of a screen stands in
    `history.tree`, which `worldtape.collectors.desktop.Desktop` keeps.

    Args:
        seed: decides everything that the screens do not.
        settings: the rest of `ExploreDesktopConfig`.
    """

    Config = ExploreDesktopConfig
    action_kinds = frozenset({"python"})

    def __init__(self, seed: int = 0, **settings: Any) -> None:
        self.config = ExploreDesktopConfig.read({"seed": seed} | settings)
        told = self.config.model_dump(mode="json", exclude={"seed"})
        self.spec = PolicySpec(kind="explore-desktop", seed=seed, parameters=told)
        self._rng = Random(f"worldtape explore-desktop {seed}")  # noqa: S311
        self._memory = Memory()
        inclined = self._rng.choice(sorted(tables()["inclinations"].values()))
        self._moves = Moves(self._memory, self._rng, inclined=inclined)
        self._plan: Plan = []
        self._programs: list[tuple[str, ...]] = list(self.config.programs)

    @classmethod
    def from_config(cls, settings: Mapping[str, Any] | ExploreDesktopConfig) -> Self:
        """Make one from the settings of a job file.

        Raises:
            ConfigError: the settings cannot be used.
        """
        config = settings if isinstance(settings, ExploreDesktopConfig) else ExploreDesktopConfig.read(settings)
        return cls(**config.model_dump())

    async def next(self, history: History) -> Action | None:
        """Return the next action; None at the end, or when the environment takes no more.

        Raises:
            InputError: the environment keeps no tree.
        """
        if not isinstance(history.tree, dict):
            raise InputError("the environment keeps no tree", where="explore-desktop", fix="record with `desktop`")
        if history.turns:
            if history.turns[-1][1].done or len(history.turns) == self.config.steps:
                return None
            self._learn(history.turns[-1][1].outcome.status)
        scene = Scene(history.tree)
        self._memory.see(scene)
        self._meet(scene)
        return self._choose(scene)

    def _learn(self, status: Status) -> None:
        self._memory.turns += 1
        self._memory.failed += status is not Status.OK
        if status is not Status.OK and self._rng.random() < _GIVEN_UP:
            self._plan = []

    def _meet(self, scene: Scene) -> None:
        """Note which programs there are, by their names."""
        for name in sorted({one.application for one in scene.everything}):
            if name and (name,) not in self._programs and not self.config.programs:
                self._programs.append((name,))

    def _choose(self, scene: Scene) -> Action:
        """Return the first action of the plan, or of a new one, that can be done and was not done in this state."""
        for _ in range(_TRIES):
            if not self._plan:
                self._plan = self._draw(scene)
            while self._plan:
                step = self._plan.pop(0)
                widget = scene.find(step.role, step.name, step.nth) if step.role else None
                if (step.role and widget is None) or self._memory.did(scene, step.key):
                    self._plan = []
                    break
                return self._do(scene, step, widget)
        return self._do(scene, Step("hotkey", value=("alt", "tab")), None)

    def _do(self, scene: Scene, step: Step, widget: Widget | None) -> Action:
        self._memory.do(scene, step.key)
        self._memory.uses[step.verb] += 1
        if widget is not None:
            self._memory.press(widget)
        return say(step, widget)

    def _draw(self, scene: Scene) -> Plan:
        if self._errs():
            return [wrong_step(scene, self._rng)]
        if not scene.windows and not scene.items:
            return [Step("start", value=self._rng.choice(self._programs or [("mousepad",)]))]
        if self._memory.still >= _STUCK and (scene.items or scene.dialog):
            return [Step("press", value="escape")]
        moves = self._moves.on(scene)
        if not moves:
            return [Step("press", value=self._rng.choice(tables()["presses"]))]
        return self._rng.choices([move.plan for move in moves], [move.weight for move in moves])[0]

    def _errs(self) -> bool:
        memory = self._memory
        return errs(self._rng, turns=memory.turns, failed=memory.failed, wished=self.config.failing)
