"""Seeded exploration of a terminal: valid by construction, and some of it meant to fail."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Self

from pydantic import Field

from worldtape.collectors.policies._config import PolicyConfig
from worldtape.collectors.policies.explore.choose import Chooser, Plan
from worldtape.collectors.policies.explore.fill import Filler
from worldtape.collectors.policies.explore.mode import Mode, foreground, mode_of, program
from worldtape.collectors.policies.explore.tables import read_yaml
from worldtape.collectors.policies.explore.template import Step
from worldtape.collectors.policies.explore.theme import pick_theme
from worldtape.collectors.policies.explore.world import World
from worldtape.schemas import Action, History, PolicySpec, StepResult

_NOT_FOUND = 127


class ExploreConfig(PolicyConfig):
    """How to explore; the same seed chooses the same actions where the environment answers the same."""

    seed: int = 0
    """Decides everything that the environment does not; in a job file, left out: the item's own."""
    steps: int | None = Field(default=None, ge=1)
    """End after so many actions; null leaves it to the recorder's limit."""
    failing: float = Field(default=0.2, ge=0, le=1)
    """The share of actions that should end in an error."""


class Explore:
    """Makes a small project, works on it, errs, and finds its way out of what it got into.

    Args:
        seed: decides everything that the environment does not.
        steps: see `ExploreConfig`.
        failing: see `ExploreConfig`.
    """

    Config = ExploreConfig
    action_kinds = frozenset({"keystrokes"})

    def __init__(self, seed: int = 0, *, steps: int | None = None, failing: float = 0.2) -> None:
        self.config = ExploreConfig.read({"seed": seed, "steps": steps, "failing": failing})
        self.spec = PolicySpec(kind="explore", seed=seed, parameters={"steps": steps, "failing": failing})
        rng = Random(f"worldtape explore {seed}")  # noqa: S311
        self._world = World(pick_theme(rng), rng)
        self._chooser = Chooser(self._world, rng, failing=failing)
        self._plan: Plan = self._chooser.opening()
        self._now: tuple[Step, Filler] | None = None
        self._lost = 0

    @classmethod
    def from_config(cls, settings: Mapping[str, Any] | ExploreConfig) -> Self:
        """Make one from the settings of a job file.

        Raises:
            ConfigError: the settings cannot be used.
        """
        config = settings if isinstance(settings, ExploreConfig) else ExploreConfig.read(settings)
        return cls(config.seed, steps=config.steps, failing=config.failing)

    async def next(self, history: History) -> Action | None:
        """Return the next action; None at the end, or when the environment takes no more."""
        if not history.turns:
            self._world.start(history.ready.environment.versions)
        elif history.turns[-1][1].done or len(history.turns) == self.config.steps:
            return None
        else:
            self._follow(history.turns[-1][1], history)
        self._now = self._plan.pop(0)
        step, filler = self._now
        return _action(step, filler)

    def _follow(self, result: StepResult, history: History) -> None:
        """Learn from the answer to the last step, and see that there is a plan."""
        step, filler = self._now or (Step(), Filler(self._world))
        failed = bool(result.outcome.exit_code)
        self._learn(step, filler, result, first=len(history.turns) == 1)
        self._world.screen = history.screen
        self._chooser.turns += 1
        self._chooser.failed += failed
        mode = mode_of(result) or (Mode.SHELL if step.then == "any" else Mode(step.then))
        if step.then not in ("any", mode):
            self._plan = []
        if self._plan:
            return
        if mode is not Mode.SHELL:
            self._plan = self._leave(mode, result)
            return
        self._lost = 0
        self._plan = (self._chooser.react(history.screen) if failed else None) or self._chooser.draw()

    def _learn(self, step: Step, filler: Filler, result: StepResult, *, first: bool) -> None:
        if first:
            self._world.settle_here(result.state_after)
        if result.outcome.exit_code == _NOT_FOUND and step.do:
            self._world.absent.add(filler.fill(step.do).partition(" ")[0])
        worked = not result.outcome.exit_code
        if worked:
            for path, kind in step.makes.items():
                self._world.add(filler.fill(path), kind)
            for path in step.drops:
                self._world.drop(filler.fill(path))
            self._world.flags |= set(step.sets)
        self._world.move(filler.fill(step.cd) if step.cd and worked else None, result.state_after)

    def _leave(self, mode: Mode, result: StepResult) -> Plan:
        """Get out of a program that nobody meant to be in, harder with every try."""
        ways = read_yaml("leave.yaml")
        name = "running" if mode is Mode.RUNNING else program(foreground(result.state_after) or "")
        tries = ways.get(name) or ways["running" if mode is Mode.RUNNING else "input"]
        stuck = self._lost >= 2 * len(tries)
        keys = ways["stuck"][self._lost % 2] if stuck else tries[min(self._lost, len(tries) - 1)]
        self._lost += 1
        return [(Step(array=tuple(_strokes(keys)), then="any"), Filler(self._world))]


def _strokes(keys: list[str | float]) -> list[dict[str, Any]]:
    """Return keys as a recipe array; a number is the wait after the key before it."""
    strokes: list[dict[str, Any]] = []
    for key in keys:
        if isinstance(key, str):
            strokes.append({"keystrokes": key})
        else:
            strokes[-1]["duration"] = key
    return strokes


def _action(step: Step, filler: Filler) -> Action:
    from worldtape.collectors.terminal.actions import keystrokes

    if step.array is not None:
        strokes = [{**item, "keystrokes": filler.fill(item["keystrokes"])} for item in step.array]
    elif step.press is not None:
        strokes = [{"keystrokes": step.press}]
    else:
        keys = step.keys if step.keys is not None else f"{step.do}\n"
        strokes = [{"keystrokes": filler.fill(keys)}]
    if step.wait is not None:
        strokes[-1]["duration"] = step.wait
    action = keystrokes(strokes)
    assert action is not None
    return action
