"""A browser, judged by what its test site holds in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worldtape.collectors.tasks import TaskFile, unmet
from worldtape.collectors.web import Web, WebConfig
from worldtape.errors import ConfigError
from worldtape.pipelines.record.verdict import Verdict

if TYPE_CHECKING:
    from worldtape.collectors.policies.web_script import WebScript


class WebKind:
    """Follows `EnvironmentKind`."""

    Config = WebConfig
    action_kinds = frozenset({"browser_call"})

    def clean(self, config: WebConfig) -> None:
        """Nothing outlives its recorder: a browser ends with the process that started it."""

    def make(self, config: WebConfig, task: TaskFile) -> Web:
        """Return a browser that begins where the task says."""
        return Web(task.begun(config))

    async def verify(self, environment: Web, task: TaskFile, *, timeout_s: float) -> Verdict:  # noqa: ARG002
        """Compare what the task expects with the state of the test site; of other sites nobody knows."""
        if task.verifier is None:
            return Verdict()
        if isinstance(task.verifier, str):
            fix = "write a mapping, as orders.#: 1"
            raise ConfigError("the verifier of a browser's task is no shell command", where=task.id, fix=fix)
        if environment.site is None:
            return Verdict(seen={"error": "the state of this site cannot be looked at"})
        missing = unmet(task.verifier, environment.site.state())
        return Verdict(0.0 if missing else 1.0, {"unmet": missing})

    @staticmethod
    def player(task: TaskFile) -> WebScript:
        """Return the policy that carries out the steps of the task's solution.

        Raises:
            ConfigError: a step is nothing that can be done on a page.
        """
        from worldtape.collectors.policies.web_script import WebScript

        steps = [step for step in task.solution if isinstance(step, (str, dict))]
        if len(steps) < len(task.solution):
            raise ConfigError("a step of the solution is an array of keys", where=f"task {task.id}")
        try:
            return WebScript(steps)
        except ConfigError as error:
            raise ConfigError(str(error), where=f"task {task.id}") from error


__all__ = ["WebKind"]
