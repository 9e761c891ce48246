"""Seeded exploration of tools: valid by construction, on what was seen, and some of it meant to fail."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from random import Random
from typing import Any, Self

from pydantic import Field

from worldtape.collectors.policies._config import PolicyConfig
from worldtape.collectors.policies.explore_tools.choose import Chooser
from worldtape.collectors.policies.explore_tools.names import words
from worldtape.collectors.policies.explore_tools.shape import Shape
from worldtape.schemas import Action, History, PolicySpec, StepResult, canonical_json


class ExploreToolsConfig(PolicyConfig):
    """How to explore; the same seed chooses the same calls where the environment answers the same."""

    seed: int = 0
    """Decides everything that the environment does not; in a job file, left out: the item's own."""
    steps: int | None = Field(default=None, ge=1)
    """End after so many calls; null leaves it to the recorder's limit."""
    failing: float = Field(default=0.15, ge=0, le=1)
    """The share of calls that should end in an error."""
    changing: float = Field(default=0.3, ge=0, le=1)
    """The share of calls that should change the state, where the environment tells of it."""
    only: tuple[str, ...] = ()
    """Patterns of the names of tools to call (`git_*`); none: all."""
    avoid: tuple[str, ...] = ()
    """Patterns of the names of tools never to call."""
    values: dict[str, tuple[str | int | float, ...]] = Field(default_factory=dict)
    """Argument to values that are real without having been seen: `repo_path: [.]`."""


class ExploreTools:
    """Calls tools with arguments of its own making.

    Args:
        seed: decides everything that the environment does not.
        more: the other settings, see `ExploreToolsConfig`.
    """

    Config = ExploreToolsConfig
    action_kinds = frozenset({"tool_call"})

    def __init__(self, seed: int = 0, **more: Any) -> None:
        self.config = ExploreToolsConfig.read({"seed": seed, **more})
        parameters = self.config.model_dump(mode="json", exclude={"seed"})
        self.spec = PolicySpec(kind="explore-tools", seed=seed, parameters=parameters)
        self._chooser: Chooser | None = None
        self._call: tuple[str, dict[str, Any]] | None = None

    @classmethod
    def from_config(cls, settings: Mapping[str, Any] | ExploreToolsConfig) -> Self:
        """Make one from the settings of a job file.

        Raises:
            ConfigError: the settings cannot be used.
        """
        config = settings if isinstance(settings, ExploreToolsConfig) else ExploreToolsConfig.read(settings)
        return cls(**config.model_dump())

    async def next(self, history: History) -> Action | None:
        """Return the next call; None at the end, where there are no tools, or when nothing new can be called."""
        turns = history.turns
        if self._chooser is None:
            self._chooser = self._begin(history)
        elif turns and self._call is not None:
            self._chooser.learn(self._call, turns[-1][1], _texts(turns[-1][1]))
        if (turns and turns[-1][1].done) or len(turns) == self.config.steps:
            return None
        chosen = self._chooser.choose()
        if chosen is None:
            return None
        why, self._call = chosen
        history.think(plan=why)
        return _action(*self._call)

    def _begin(self, history: History) -> Chooser:
        ready = history.ready
        tools = [tool for tool in ready.environment.tools if self._allowed(tool.name)]
        chooser = Chooser(
            [Shape(tool) for tool in tools],
            Random(f"worldtape explore-tools {self.config.seed}"),  # noqa: S311
            failing=self.config.failing,
            changing=self.config.changing,
        )
        for name, values in self.config.values.items():
            for value in values:
                chooser.seen.give(words(name), value)
        for text in (ready.initial_state.text or "", ready.observation.text):
            chooser.seen.read(text, heard=False)
        if history.task is not None:
            chooser.seen.read(history.task.instruction)
        return chooser

    def _allowed(self, name: str) -> bool:
        wanted = not self.config.only or any(fnmatchcase(name, pattern) for pattern in self.config.only)
        return wanted and not any(fnmatchcase(name, pattern) for pattern in self.config.avoid)


def _texts(result: StepResult) -> list[str]:
    seen = result.observation
    shown = seen.text if seen.shown is None else seen.shown
    parts = [part.text for part in seen.parts if part.channel == "structured" and part.text]
    return [*parts, shown]


def _action(name: str, arguments: dict[str, Any]) -> Action:
    return Action(
        kind="tool_call",
        text=canonical_json({"name": name, "arguments": arguments}),
        name=name,
        arguments=canonical_json(arguments),
    )


__all__ = ["ExploreTools", "ExploreToolsConfig"]
