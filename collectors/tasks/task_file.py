"""One task of a suite, as it stands in its file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Self

from pydantic import Field, PrivateAttr

from worldtape.collectors.tasks.setup import Setup
from worldtape.collectors.tasks.stroke import Stroke
from worldtape.schemas import Task, canonical_json
from worldtape.schemas.settings import Settings, read_settings


class TaskFile(Settings):
    """A task: what is asked, what stands there before, one way to do it, and how to know that it is done."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9./_-]*$")
    """Unique in its suite; the file has the same name, with `-` for `/`."""
    instruction: str = Field(min_length=1)
    """What an agent is told."""
    tags: tuple[str, ...] = ()
    """Words to choose tasks by."""
    setup: Setup = Setup()
    """What is made before the first observation, out of band."""
    solution: tuple[str | tuple[Stroke, ...], ...] = ()
    """The steps that solve it: a string is typed and ended with Enter, an array is sent as it stands."""
    verifier: str | None = None
    """A shell command, run out of band in the first working directory: exit code 0 means solved."""
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
        """The solution as arrays of `{"keystrokes", "duration"}`, one array a step."""
        return [
            [{"keystrokes": step + "\n"}]
            if isinstance(step, str)
            else [stroke.model_dump(exclude_none=True) for stroke in step]
            for step in self.solution
        ]

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of everything that stands in the file."""
        return hashlib.sha256(canonical_json(self.model_dump(mode="json")).encode()).hexdigest()
