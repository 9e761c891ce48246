"""Seeded exploration of a repository: real failures and real passes of its own tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Self

from worldtape.collectors.mcp.actions import tool_call
from worldtape.collectors.policies.explore_repo import breaking, growing, orient, wrong
from worldtape.collectors.policies.explore_repo.config import ExploreRepoConfig
from worldtape.collectors.policies.explore_repo.desk import Desk
from worldtape.collectors.policies.explore_repo.notes import Notes
from worldtape.collectors.policies.explore_repo.step import Heard, Routine, Step
from worldtape.collectors.policies.explore_repo.voice import Voice
from worldtape.schemas import Action, History, PolicySpec, Target

_Maker = Callable[[Desk], Routine[None]]
_STILL: tuple[tuple[_Maker, float], ...] = (
    (orient.read_source, 2.0),
    (orient.read_test, 1.0),
    (orient.search, 2.0),
    (orient.listing, 0.6),
    (orient.look, 0.6),
    (orient.todo, 0.5),
    (growing.try_out, 1.5),
    (growing.in_background, 0.25),
)
_CHANGING: tuple[tuple[_Maker, float], ...] = (
    (breaking.break_and_repair, 6.0),
    (growing.new_test, 1.2),
    (growing.note, 1.0),
    (growing.document, 1.2),
    (growing.commit, 0.5),
    (growing.branch, 0.3),
    (growing.rename, 0.5),
    (growing.move, 0.4),
)
_ROUTINES = (*_STILL, *_CHANGING)
_DRAWS = 30
_PULL = 20.0


class ExploreRepo:
    """Reads, searches, breaks functions by small mistakes, runs the tests, repairs, writes tests, commits.

    It knows the repository only by what the tools answer, and the share of its calls that change something or fail
    by the outcome and the state that the environment tells.

    Args:
        seed: decides everything that the environment does not.
        more: the other settings, see `ExploreRepoConfig`.
    """

    Config = ExploreRepoConfig
    action_kinds = frozenset({"tool_call"})

    def __init__(self, seed: int = 0, **more: Any) -> None:
        self.config = ExploreRepoConfig.read({"seed": seed, **more})
        parameters = self.config.model_dump(mode="json", exclude={"seed"})
        self.spec = PolicySpec(kind="explore-repo", seed=seed, parameters=parameters)
        self._rng = Random(f"worldtape explore-repo {seed}")  # noqa: S311
        self._desk: Desk | None = None
        self._routine: Routine[None] | None = None
        self._failed = 0
        self._changed = 0

    @classmethod
    def from_config(cls, settings: Mapping[str, Any] | ExploreRepoConfig) -> Self:
        """Make one from the settings of a job file.

        Raises:
            ConfigError: the settings cannot be used.
        """
        config = settings if isinstance(settings, ExploreRepoConfig) else ExploreRepoConfig.read(settings)
        return cls(**config.model_dump())

    async def next(self, history: History) -> Action | None:
        """Return the next call; None at the end, and where no tools are offered that read files and run commands."""
        turns = history.turns
        if self._desk is None:
            self._desk = _desk(history, self.config, self._rng)
        heard = Heard.of(turns[-1][1]) if turns else None
        if heard is not None:
            self._failed += not heard.ok
            self._changed += heard.changed
        if not self._desk.voice.speaks or len(turns) == self.config.steps or (heard is not None and heard.done):
            return None
        step = self._go_on(self._desk, heard, len(turns))
        if step is None:
            return None
        history.think(plan=step.why)
        action = tool_call(step.name, step.arguments)
        return action.model_copy(update={"target": Target(role=step.role or None, name=step.target[:500] or None)})

    def _go_on(self, desk: Desk, heard: Heard | None, turns: int) -> Step | None:
        """Return the next step of the routine under way, else the first one of another."""
        if self._routine is not None and heard is not None:
            try:
                return self._routine.send(heard)
            except StopIteration:
                pass
        for _ in range(_DRAWS):
            self._routine = orient.orient(desk) if turns == 0 else self._draw(turns)(desk)
            try:
                return next(self._routine)
            except StopIteration:
                continue
        return None

    def _draw(self, turns: int) -> _Maker:
        """Draw a routine, so that shares of failing and changing calls come near what is asked for."""
        failing = self._lack(self.config.failing, self._failed, turns)
        if self._rng.random() < min(0.8, max(0.02, self.config.failing / 2 + 2 * failing)):
            return wrong.err
        changing = self._lack(self.config.changing, self._changed, turns)
        push = min(8.0, max(0.25, 1 + _PULL * changing))
        moved = {maker for maker, _ in _CHANGING}
        weights = [weight * (push if maker in moved else 1.0) for maker, weight in _ROUTINES]
        return self._rng.choices([maker for maker, _ in _ROUTINES], weights)[0]

    @staticmethod
    def _lack(wanted: float, had: int, turns: int) -> float:
        """By how much a share is below what is asked for; at the beginning, hardly."""
        return wanted - (had + 6 * wanted) / (turns + 6)


def _desk(history: History, config: ExploreRepoConfig, rng: Random) -> Desk:
    found = history.ready.environment
    root = str(found.parameters.get("workdir") or "/workspace").rstrip("/")
    desk = Desk(Voice((tool.name for tool in found.tools), root), Notes(root), rng, slow=config.slow)
    desk.test_command = config.test_command or found.parameters.get("test_command") or desk.test_command
    return desk


__all__ = ["ExploreRepo"]
