"""Settings of a recorded terminal."""

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Literal, Self
from zoneinfo import available_timezones

from pydantic import Field, field_validator, model_validator

from worldtape.collectors.tasks.setup import Setup
from worldtape.collectors.terminal.sandbox.config import SandboxConfig
from worldtape.errors import ConfigError
from worldtape.schemas import EnvironmentSpec, Limits
from worldtape.schemas.settings import Settings

_RULE = re.compile(r"(<[A-Za-z0-9+-]{3,}>|[A-Za-z]{3,})[+-]?\d[^/]*")
_MASK = "***"
_IDLE: dict[str, set[str]] = {
    "docker": set(),
    "local": {"image", "user"},
    "unsafe-local": {"hostname", "image", "limits", "network", "user"},
}
"""What a sandbox cannot give."""


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
    network: Literal["none", "bridge"] = "none"
    """`none`: loopback only; `bridge`: out, by this machine (`docker` only)."""
    locale: str = "C.UTF-8"
    """The shell's `LANG`."""
    timezone: str = "UTC"
    """The shell's `TZ`: a name such as `Europe/Berlin`, or a rule such as `CET-1CEST`."""
    hostname: str = Field(default="debian", pattern=r"^[a-z0-9]([a-z0-9-]{0,62})$")
    """The name of the machine, as its shell shows it."""
    workdir: str | None = None
    """Where the shell starts; none: the home directory (`local`) or the image's own (`docker`)."""
    user: str | None = None
    """Who the shell runs as (`docker` only); none: the image's own."""
    env: dict[str, str] = Field(default_factory=dict)
    """More variables of the shell's environment."""
    env_from: tuple[str, ...] = ()
    """Names of variables whose values come from the recorder's own environment, and do not stand in the header."""
    setup_seconds: float = Field(default=120.0, gt=0, le=86_400)
    """How long each command of the set-up may take."""
    setup: Setup = Setup()
    """What is made before the first observation, out of band."""

    @field_validator("timezone")
    @classmethod
    def _known_timezone(cls, name: str) -> str:
        if not _RULE.fullmatch(name) and name not in (known := available_timezones()) and known:
            near = get_close_matches(name, known, n=1)
            raise ValueError(f"there is no timezone {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        return name

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        for name in sorted(self.model_fields_set & _IDLE[self.sandbox]):
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"{name} does nothing in sandbox {self.sandbox!r}: leave it out, or choose docker")
        return self

    def secrets(self) -> dict[str, str]:
        """Return the variables of `env_from` with their values.

        Raises:
            ConfigError: one is not set here.
        """
        for name in self.env_from:
            if name not in os.environ:
                raise ConfigError(f"the variable {name} is not set", where="env_from", fix=f"export {name}=…")
        return {name: os.environ[name] for name in self.env_from}

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
            "env": dict(self.env) | dict.fromkeys(self.env_from, _MASK),
            "hostname": self.hostname,
            "workdir": self.workdir,
            "user": self.user,
            "setup": self.setup.model_dump(mode="json"),
        }
        asked = self.sandbox_config({}).asked()
        return asked.model_copy(update={"locale": self.locale, "timezone": self.timezone, "parameters": parameters})


__all__ = ["TerminalConfig"]
