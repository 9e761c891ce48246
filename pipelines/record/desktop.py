"""A desktop, judged by its files, its windows and its clipboard in the end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from worldtape.collectors.desktop import Desktop, DesktopConfig
from worldtape.collectors.tasks import TaskFile, unmet
from worldtape.errors import ConfigError, WorldtapeError
from worldtape.pipelines.record.verdict import Verdict

if TYPE_CHECKING:
    from worldtape.collectors.policies.desktop_script import DesktopScript


class DesktopKind:
    """Follows `EnvironmentKind`."""

    Config = DesktopConfig
    action_kinds = Desktop.action_kinds

    def clean(self, config: DesktopConfig) -> None:  # noqa: ARG002
        """Remove containers whose recorder is gone."""
        from worldtape.collectors.terminal.sandbox import docker

        docker.reap()

    def make(self, config: DesktopConfig, task: TaskFile) -> Desktop:
        """Return a desktop that begins as the task says."""
        return Desktop(task.begun(config))

    async def verify(self, environment: Desktop, task: TaskFile, *, timeout_s: float) -> Verdict:
        """Compare what the task expects with `facts()`; of a desktop that is gone nobody knows."""
        if task.verifier is None:
            return Verdict()
        if isinstance(task.verifier, str):
            fix = "write a mapping, as files: {notes.txt: {text: done}}"
            raise ConfigError("the verifier of a desktop's task is no shell command", where=task.id, fix=fix)
        try:
            async with asyncio.timeout(timeout_s):
                missing = unmet(task.verifier, await environment.facts())
        except (WorldtapeError, TimeoutError) as error:
            return Verdict(seen={"error": str(error) or "the facts took too long to read"})
        return Verdict(0.0 if missing else 1.0, {"unmet": missing})

    @staticmethod
    def player(task: TaskFile) -> DesktopScript:
        """Return the policy that carries out the steps of the task's solution.

        Raises:
            ConfigError: a step is nothing that can be done on a desktop.
        """
        from worldtape.collectors.policies.desktop_script import DesktopScript

        steps = [step for step in task.solution if isinstance(step, (str, dict))]
        if len(steps) < len(task.solution):
            raise ConfigError("a step of the solution is an array of keys", where=f"task {task.id}")
        try:
            return DesktopScript(steps)
        except ConfigError as error:
            raise ConfigError(str(error), where=f"task {task.id}") from error


__all__ = ["DesktopKind"]
