"""A terminal, set up for a task and judged by its verifier."""

from __future__ import annotations

from worldtape.collectors.tasks import Setup, TaskFile
from worldtape.collectors.terminal import Terminal, TerminalConfig
from worldtape.errors import WorldtapeError


class TerminalKind:
    """Follows `EnvironmentKind`."""

    Config = TerminalConfig

    def clean(self, config: TerminalConfig) -> None:
        """Remove containers or control groups whose recorder is gone."""
        from worldtape.collectors.terminal.sandbox import docker, local

        if config.sandbox == "docker":
            docker.reap()
        else:
            local.reap()

    def make(self, config: TerminalConfig, task: TaskFile) -> Terminal:
        """Return a terminal; files and commands of the task come after those of the job."""
        setup = Setup(files=config.setup.files | task.setup.files, commands=config.setup.commands + task.setup.commands)
        return Terminal(config.model_copy(update={"setup": setup}))

    async def verify(self, environment: Terminal, task: TaskFile, *, timeout_s: float) -> float | None:
        """Run the verifier out of band, in the directory the shell started in."""
        if task.verifier is None:
            return None
        try:
            ran = await environment.run(task.verifier, timeout_s=timeout_s)
        except WorldtapeError:
            return None
        return 1.0 if ran.exit_code == 0 else 0.0
