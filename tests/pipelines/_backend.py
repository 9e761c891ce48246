"""An environment of another package, whose backend is a file: there while the file is there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Self

import pytest

from worldtape.collectors.tasks import TaskFile
from worldtape.errors import ComponentError
from worldtape.pipelines.record import Verdict
from worldtape.schemas import Action, Sink, StepResult
from worldtape.schemas.settings import Settings
from worldtape.testing import FakeEnvironment


class BackendConfig(Settings):
    """Where the backend is."""

    backend: Path
    """A file; while it is missing, nothing starts."""
    starts: int = 1_000_000
    """The backend goes after so many starts of tasks."""
    back: bool = False
    """It is there again after one start that failed."""


class Backed(FakeEnvironment):
    """Answers `ls`; the action `hang` never returns."""

    def __init__(self, config: BackendConfig, task: TaskFile) -> None:
        super().__init__({"ls": "a.txt"})
        self._config, self._task = config, task

    async def __aenter__(self) -> Self:
        path, trial = self._config.backend, self._task.id == "try"
        if not path.exists():
            if self._config.back:
                path.write_text("")
            raise ComponentError("the backend does not answer", where=path.name)
        if not trial:
            path.write_text(path.read_text() + "x")
            if len(path.read_text()) == self._config.starts + 1:
                path.unlink()
                raise ComponentError("the backend does not answer", where=path.name)
        return await super().__aenter__()

    async def step(self, action: Action, sink: Sink) -> StepResult:
        """Answer, or hang."""
        if "hang" in action.text:
            await asyncio.Event().wait()
        return await super().step(action, sink)


class BackedKind:
    """Follows `EnvironmentKind`."""

    Config = BackendConfig

    def clean(self, config: BackendConfig) -> None:
        """Leave all as it is."""

    def make(self, config: BackendConfig, task: TaskFile) -> Backed:
        """Return one for `task`."""
        return Backed(config, task)

    async def verify(self, environment: Any, task: TaskFile, *, timeout_s: float) -> Verdict:
        """Be content."""
        return Verdict(1.0, {"words": "fine"})


class CallsKind(BackedKind):
    """Takes nothing but tool calls."""

    action_kinds = frozenset({"tool_call"})


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, **points: str) -> None:
    """Make a package known whose entry points are `group="name = module:attribute"`, as an installer does."""
    info = folder / "site" / "thing-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thing\nVersion: 1\n")
    text = "\n".join(f"[worldtape.{group}]\n{line}\n" for group, line in points.items())
    (info / "entry_points.txt").write_text(text)
    monkeypatch.syspath_prepend(str(folder / "site"))
