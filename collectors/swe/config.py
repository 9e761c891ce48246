"""Settings of a recorded repository."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from worldtape.collectors.tasks.setup import Setup
from worldtape.collectors.terminal.sandbox import SandboxConfig
from worldtape.errors import ConfigError
from worldtape.schemas import EnvironmentSpec, Limits
from worldtape.schemas.settings import Settings

_MASK = "***"


class SweConfig(Settings):
    """Which repository, at which commit, in which container, and by which tools it is acted upon."""

    repository: str | None = None
    """A git repository (folder, bundle or URL), a folder that is none, or a source archive (.tar.gz); what is no git
    repository becomes one of one commit. A job may leave it to its tasks."""
    package: str | None = None
    """Instead: a release of the package index, as `name==version`; some need only their name (inflection, tabulate,
    toolz)."""
    commit: str | None = None
    """A commit, branch or tag of a git repository; none: its HEAD. Nothing after it is in the container."""
    family: Literal["cli", "claude"] = "cli"
    """Tools as command-line agents have them (`read_file`, …), or as Claude Code has them (`Read`, …)."""
    image: str | None = None
    """The container's image, with git, sh and the whole of python3; none: the one that Worldtape builds."""
    workdir: str = "/workspace"
    """Where the repository lies in the container."""
    test_command: str | None = None
    """How its tests are run; none: a known package's own."""
    timeout_s: float = Field(default=120.0, gt=0, le=86_400)
    """Seconds; a command of a tool that asks for no other time is killed then."""
    limits: Limits = Limits()
    """What all processes of the container together may use."""
    network: Literal["none", "bridge"] = "none"
    """`none`: loopback only; `bridge`: out, by this machine."""
    user: str | None = None
    """Who everything in the container runs as; none: the image's own."""
    env: dict[str, str] = Field(default_factory=dict)
    """More variables of the container's environment."""
    env_from: tuple[str, ...] = ()
    """Names of variables whose values come from the recorder's own environment, and do not stand in the header."""
    setup: Setup = Setup()
    """What is made in the repository before the first observation; it is committed."""
    setup_seconds: float = Field(default=300.0, gt=0, le=86_400)
    """How long each command of the set-up may take."""

    @field_validator("workdir")
    @classmethod
    def _whole_path(cls, path: str) -> str:
        if not path.startswith("/") or path.startswith("//") or not PurePosixPath(path).name or ".." in path:
            raise ValueError(f"{path!r} is no absolute path of a folder")
        return str(PurePosixPath(path))

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.repository is not None and self.package is not None:
            raise ValueError("name either a repository or a package")
        if self.package is not None:
            from worldtape.collectors.swe.packages import find  # a module that is a program too is not loaded by all

            find(self.package)
            if self.commit is not None:
                raise ValueError("a package has no commits: leave commit out")
        return self

    @property
    def tests(self) -> str | None:
        """The command that runs the tests; None where nothing is known."""
        if self.test_command is None and self.package is not None:
            from worldtape.collectors.swe.packages import KNOWN, find

            package = find(self.package)
            return package.test_command if package.name in KNOWN else None
        return self.test_command

    def sandbox(self) -> SandboxConfig:
        """Return the settings of the container.

        Raises:
            ConfigError: a variable of `env_from` is not set here.
        """
        return SandboxConfig(
            kind="docker",
            image=self.image,
            network=self.network,
            limits=self.limits,
            hostname="dev",
            user=self.user,
            env=_QUIET | self.env | {name: _from_outside(name) for name in self.env_from},
        )

    def spec(self) -> EnvironmentSpec:
        """Return what is asked for, as the header of a tape names it."""
        from worldtape.collectors.swe.image import IMAGE

        parameters = self.model_dump(mode="json", exclude={"image", "limits", "network", "env", "env_from"})
        parameters["repository"] = None if self.repository is None else shown(self.repository)
        parameters["test_command"] = self.tests
        parameters["env"] = dict(self.env) | dict.fromkeys(self.env_from, _MASK)
        return EnvironmentSpec(
            kind="swe",
            backend="docker",
            image=self.image or IMAGE.name,
            network=self.network,
            locale="C.UTF-8",
            timezone="UTC",
            limits=self.limits,
            parameters=parameters,
        )


_QUIET = {"PYTHONDONTWRITEBYTECODE": "1", "TERM": "dumb", "TZ": "UTC"}
"""Bytecode is told from its source by size and second: a file that is edited twice a second would run as it was."""


def _from_outside(name: str) -> str:
    if name not in os.environ:
        raise ConfigError(f"the variable {name} is not set", where="env_from", fix=f"export {name}=…")
    return os.environ[name]


def shown(repository: str) -> str:
    """Return a repository as a tape may name it: a URL without user, query and fragment; of a path its last part."""
    url = urlsplit(repository)
    if url.scheme and url.netloc:
        return url._replace(netloc=url.netloc.rpartition("@")[2], query="", fragment="").geturl()
    return PurePosixPath(repository).name or repository


__all__ = ["SweConfig", "shown"]
