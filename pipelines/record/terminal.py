"""A terminal, set up for a task and judged by its verifier."""

from __future__ import annotations

from worldtape.collectors.tasks import Setup, TaskFile
from worldtape.collectors.terminal import Terminal, TerminalConfig
from worldtape.errors import ConfigError, WorldtapeError
from worldtape.pipelines.record.verdict import Verdict

_UNABLE = {None, 126, 127}
"""It was stopped at its deadline, cannot be run, or does not exist."""
_OUTPUT_CHARS = 4000
"""So much of a verifier's output is kept, its end."""


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
        config = task.begun(config)
        setup = Setup(files=config.setup.files | task.setup.files, commands=config.setup.commands + task.setup.commands)
        return Terminal(config.model_copy(update={"setup": setup}))

    async def verify(self, environment: Terminal, task: TaskFile, *, timeout_s: float) -> Verdict:
        """Run the verifier out of band, in the directory the shell started in."""
        if task.verifier is None:
            return Verdict()
        if not isinstance(task.verifier, str):
            raise ConfigError("the verifier of a terminal's task is a shell command", where=task.id)
        try:
            ran = await environment.run(task.verifier, timeout_s=timeout_s)
        except WorldtapeError as error:
            return Verdict(seen={"error": str(error)})
        seen = {"exit_code": ran.exit_code, "output": ran.text[-_OUTPUT_CHARS:]}
        if ran.exit_code in _UNABLE:
            return Verdict(seen=seen)
        return Verdict(1.0 if ran.exit_code == 0 else 0.0, seen)
