"""A device behind Appium, judged by what shows on it in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worldtape.collectors.android import Android, AndroidConfig
from worldtape.collectors.processes import reap
from worldtape.collectors.tasks import TaskFile, unmet
from worldtape.errors import ConfigError
from worldtape.pipelines.record.verdict import Verdict

if TYPE_CHECKING:
    from worldtape.collectors.policies.ui_script import UiScript


class AndroidKind:
    """Follows `EnvironmentKind`."""

    Config = AndroidConfig
    action_kinds = Android.action_kinds

    def clean(self, config: AndroidConfig) -> None:  # noqa: ARG002
        """Remove the folders of Appium servers whose recorder is gone; a guard has ended the servers with it."""
        reap()

    def make(self, config: AndroidConfig, task: TaskFile) -> Android:
        """Return a device on which the task begins."""
        return Android(task.begun(config))

    async def verify(self, environment: Android, task: TaskFile, *, timeout_s: float) -> Verdict:  # noqa: ARG002
        """Compare what the task expects with `facts()`: the newest look at the screen."""
        if task.verifier is None:
            return Verdict()
        if isinstance(task.verifier, str):
            fix = "write a mapping, as fields.name: Ana"
            raise ConfigError("the verifier of a device's task is no shell command", where=task.id, fix=fix)
        if not environment.tree.get("source") and not environment.tree.get("alert"):
            return Verdict(seen={"error": "the screen cannot be looked at"})
        missing = unmet(task.verifier, await environment.facts())
        return Verdict(0.0 if missing else 1.0, {"unmet": missing})

    @staticmethod
    def player(task: TaskFile) -> UiScript:
        """Return the policy that carries out the steps of the task's solution.

        Raises:
            ConfigError: a step is nothing that can be done on a device.
        """
        from worldtape.collectors.policies.ui_script import UiScript

        steps = [step for step in task.solution if isinstance(step, (str, dict))]
        if len(steps) < len(task.solution):
            raise ConfigError("a step of the solution is an array of keys", where=f"task {task.id}")
        try:
            return UiScript(steps)
        except ConfigError as error:
            raise ConfigError(str(error), where=f"task {task.id}") from error


__all__ = ["AndroidKind"]
