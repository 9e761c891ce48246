"""One task of a suite, as it stands in its file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import BaseModel, Field, PrivateAttr

from worldtape.collectors.tasks.setup import Setup
from worldtape.collectors.tasks.stroke import Stroke
from worldtape.errors import ConfigError
from worldtape.schemas import Task, canonical_json
from worldtape.schemas.settings import Settings, checked, read_settings

S = TypeVar("S", bound=BaseModel)


class TaskFile(Settings):
    """A task: what is asked, what stands there before, one way to do it, and how to know that it is done."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9./_-]*$")
    """Unique in its suite; the file has the same name, with `-` for `/`."""
    instruction: str = Field(min_length=1)
    """What an agent is told."""
    tags: tuple[str, ...] = ()
    """Words to choose tasks by."""
    setup: Setup = Setup()
    """What is made in a terminal before the first observation, out of band."""
    start: dict[str, Any] = Field(default_factory=dict)
    """Settings of the environment for this task; they win over those of the job."""
    solution: tuple[str | tuple[Stroke, ...] | dict[str, Any], ...] = ()
    """The steps that solve it. In a terminal a string is typed and ended with Enter, an array is sent as it stands;
    what steps are elsewhere stands with the environment."""
    verifier: str | dict[str, Any] | None = None
    """A shell command, run out of band in a terminal's first working directory: exit code 0 means solved. Or what must
    stand in the environment's own state in the end: path to value, as `orders.0.status: paid` (see `unmet`)."""
    reference: str | None = None
    """The reference answer; it never reaches a prompt."""
    timeout: float | None = Field(default=None, gt=0)
    """Seconds the whole task may take."""
    _suite: str = PrivateAttr("")

    @classmethod
    def read(cls, path: Path, *, suite: str) -> Self:
        """Read one task file as a member of `suite`."""
        task = read_settings(cls, path)
        task._suite = suite  # noqa: SLF001
        return task

    @property
    def suite(self) -> str:
        """The name of the suite it was loaded from; empty for a task that was made in code."""
        return self._suite

    @property
    def task(self) -> Task:
        """The task as a tape names it."""
        return Task(
            id=self.id,
            instruction=self.instruction.strip(),
            benchmark=self._suite or None,
            reference=self.reference,
            tags=self.tags,
        )

    @property
    def actions(self) -> list[list[dict[str, Any]]]:
        """The solution of a terminal's task as arrays of `{"keystrokes", "duration"}`, one array a step.

        Raises:
            ConfigError: a step is a mapping, which nobody can type.
        """
        return [self._typed(step) for step in self.solution]

    def begun(self, config: S) -> S:
        """Return the settings of an environment as this task begins in it.

        Raises:
            ConfigError: `start` holds what the environment does not know.
        """
        if not self.start:
            return config
        return checked(type(config), config.model_dump(exclude_unset=True) | self.start, where=f"task {self.id}: start")

    def _typed(self, step: str | tuple[Stroke, ...] | dict[str, Any]) -> list[dict[str, Any]]:
        if isinstance(step, str):
            return [{"keystrokes": step + "\n"}]
        if isinstance(step, dict):
            fix = "a string, or an array of {keystrokes, duration}"
            raise ConfigError("a step of the solution is nothing to type", where=self.id, fix=fix)
        return [stroke.model_dump(exclude_none=True) for stroke in step]

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of everything that stands in the file."""
        return hashlib.sha256(canonical_json(self.model_dump(mode="json")).encode()).hexdigest()
