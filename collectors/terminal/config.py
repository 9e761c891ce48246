"""Settings of a recorded terminal."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from worldtape.collectors.tasks.setup import Setup
from worldtape.collectors.terminal.sandbox.config import SandboxConfig
from worldtape.schemas import EnvironmentSpec, Limits
from worldtape.schemas.settings import Settings


class TerminalConfig(Settings):
    """What terminal to start, and when to look at its screen."""

    sandbox: Literal["docker", "local", "unsafe-local"] = "local"
    """`docker`: a container; `local`: Linux namespaces, no daemon; `unsafe-local`: this machine, unprotected."""
    image: str | None = None
    """The container image (`docker` only); none: the one that Worldtape builds."""
    shell: tuple[str, ...] | None = None
    """The interactive shell and its arguments; none: bash where there is one, else sh."""
    cols: int = Field(default=160, ge=2, le=1000)
    """Width of the screen in cells."""
    rows: int = Field(default=40, ge=2, le=1000)
    """Height of the screen in cells."""
    wait: Literal["settle", "duration"] = "settle"
    """How long to wait after keys without a duration: until the program waits for input, or `default_duration`."""
    default_duration: float = Field(default=1.0, ge=0, le=3600)
    """Seconds; used by the wait mode `duration`."""
    timeout_s: float = Field(default=30.0, gt=0, le=86_400)
    """Seconds; what has not settled by then is observed as it is, and is `timeout_still_running`."""
    limits: Limits = Limits()
    """What all its processes together may use."""
    network: Literal["none", "bridge", "host"] = "none"
    """`none`: loopback only."""
    locale: str = "C.UTF-8"
    """The shell's `LANG`."""
    timezone: str = "UTC"
    """The shell's `TZ`."""
    hostname: str = Field(default="debian", pattern=r"^[a-z0-9]([a-z0-9-]{0,62})$")
    """The name of the machine, as its shell shows it."""
    workdir: str | None = None
    """Where the shell starts; none: the home directory (`local`) or the image's own (`docker`)."""
    user: str | None = None
    """Who the shell runs as (`docker` only); none: the image's own."""
    env: dict[str, str] = Field(default_factory=dict)
    """More variables of the shell's environment."""
    setup_seconds: float = Field(default=120.0, gt=0, le=86_400)
    """How long each command of the set-up may take."""
    setup: Setup = Setup()
    """What is made before the first observation, out of band."""

    def sandbox_config(self, env: Mapping[str, str]) -> SandboxConfig:
        """Return the settings of the sandbox, with `env` in its shell's environment."""
        return SandboxConfig(
            kind=self.sandbox,
            image=self.image,
            shell=self.shell,
            network=self.network,
            limits=self.limits,
            hostname=self.hostname,
            workdir=self.workdir,
            user=self.user,
            env={"LANG": self.locale, "TZ": self.timezone} | self.env | dict(env),
        )

    def spec(self) -> EnvironmentSpec:
        """Return what is asked for, as the header of a tape names it."""
        parameters = {
            "cols": self.cols,
            "rows": self.rows,
            "wait": self.wait,
            "default_duration": self.default_duration,
            "timeout_s": self.timeout_s,
            "shell": None if self.shell is None else list(self.shell),
            "env": dict(self.env),
            "hostname": self.hostname,
            "workdir": self.workdir,
            "user": self.user,
            "setup": self.setup.model_dump(mode="json"),
        }
        asked = self.sandbox_config({}).asked()
        return asked.model_copy(update={"locale": self.locale, "timezone": self.timezone, "parameters": parameters})


__all__ = ["TerminalConfig"]
