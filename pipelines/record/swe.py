"""A repository, set up for a task and judged by what it holds in the end, or by a command in it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from worldtape.collectors.swe import Swe, SweConfig
from worldtape.collectors.tasks import Setup, TaskFile, unmet
from worldtape.errors import ConfigError, WorldtapeError
from worldtape.pipelines.record.verdict import Verdict

if TYPE_CHECKING:
    from worldtape.collectors.policies import Script

_UNABLE = {None, 126, 127}
"""It was stopped at its deadline, cannot be run, or does not exist."""
_OUTPUT_CHARS = 4000
"""So much of a verifier's output is kept, its end."""


class SweKind:
    """Follows `EnvironmentKind`."""

    Config = SweConfig
    action_kinds = Swe.action_kinds

    def clean(self, config: SweConfig) -> None:  # noqa: ARG002
        """Remove containers whose recorder is gone."""
        from worldtape.collectors.terminal.sandbox import docker

        docker.reap()

    def make(self, config: SweConfig, task: TaskFile) -> Swe:
        """Return the repository as the task wants it; files and commands of the task come after those of the job."""
        config = task.begun(config)
        setup = Setup(files=config.setup.files | task.setup.files, commands=config.setup.commands + task.setup.commands)
        return Swe(config.model_copy(update={"setup": setup}))

    async def verify(self, environment: Swe, task: TaskFile, *, timeout_s: float) -> Verdict:
        """Run a command in the repository, or compare what the task expects with `facts()`.

        Tests are run where an expectation begins with `tests`.
        """
        wanted = task.verifier
        if wanted is None:
            return Verdict()
        try:
            async with asyncio.timeout(timeout_s):
                if isinstance(wanted, str):
                    return await _ask(environment, wanted, timeout_s)
                tests = any(path.split(".")[0] == "tests" for path in wanted)
                missing = unmet(wanted, await environment.facts(tests=tests))
        except (WorldtapeError, TimeoutError) as error:
            return Verdict(seen={"error": str(error) or "the facts took too long to read"})
        return Verdict(0.0 if missing else 1.0, {"unmet": missing})

    @staticmethod
    def player(task: TaskFile) -> Script:
        """Return the policy that makes the calls of the task's solution, each `name` and `arguments`.

        Raises:
            ConfigError: a step is no call.
        """
        from worldtape.collectors.mcp.actions import parse_call
        from worldtape.collectors.policies import Script

        calls = []
        for step in task.solution:
            call = parse_call(step) if isinstance(step, dict) and set(step) <= {"name", "arguments"} else None
            if call is None or call.name is None:
                fix = "write {name: run_shell_command, arguments: {command: git status}}"
                raise ConfigError("a step of the solution is no call", where=f"task {task.id}", fix=fix)
            calls.append(call)
        return Script(calls)


async def _ask(environment: Swe, command: str, timeout_s: float) -> Verdict:
    ran = await environment.box.run(command, timeout_s=timeout_s)
    seen = {"exit_code": ran.code, "output": (ran.out + ran.err).decode(errors="replace")[-_OUTPUT_CHARS:]}
    if ran.code in _UNABLE:
        return Verdict(seen=seen)
    return Verdict(1.0 if ran.code == 0 else 0.0, seen)


__all__ = ["SweKind"]
