"""Settings of a recorded MCP server."""

from __future__ import annotations

import os
import sys
from pathlib import PurePosixPath
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from worldtape.collectors.mcp._secrets import MASK, address, shown
from worldtape.errors import ConfigError
from worldtape.schemas import EnvironmentSpec
from worldtape.schemas.settings import Settings

_INHERITED = ("HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
WORKDIR = "{workdir}"


class Sampling(Settings):
    """How a server's request for a model's words is answered."""

    answer: Literal["text", "refuse"] = "refuse"
    """`text`: always the same; `refuse`: with an error."""
    text: str = "I have nothing to add."
    """The words of `text`."""
    model: str = "worldtape-fixed"
    """The model's name in the answer."""


class Elicitation(Settings):
    """How a server's question to the user is answered."""

    answer: Literal["accept", "decline", "cancel"] = "decline"
    """`accept`: with `content`, completed by the defaults of the form; the others: without content."""
    content: dict[str, Any] = Field(default_factory=dict)
    """Field to value."""


class McpConfig(Settings):
    """Which server, how it is reached, and how its own requests are answered."""

    server: Literal["orders", "rogue"] | None = None
    """One of Worldtape's own servers: a small shop with its database in the folder of the trajectory, or one that
    misbehaves on demand; `args` are its options."""
    command: str | None = None
    """The program of any other server over stdio."""
    args: tuple[str, ...] = ()
    """Its arguments; `{workdir}` stands for a folder that is made for the trajectory and removed after it."""
    env: dict[str, str] = Field(default_factory=dict)
    """More variables of its environment, beside HOME, PATH and the like; `{workdir}` as in `args`."""
    env_from: tuple[str, ...] = ()
    """Names of variables whose values come from the recorder's own environment, and do not stand in the header."""
    cwd: str | None = None
    """Where it starts; none: the folder made for the trajectory."""
    files: dict[str, str] = Field(default_factory=dict)
    """Files of that folder before the start: relative path to text."""
    url: str | None = None
    """The address of a server over streamable HTTP; tapes have it without user part and without values in its query."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of every request; on tapes those are masked that are not known to hold no secret."""
    headers_from: dict[str, str] = Field(default_factory=dict)
    """Header to the name of a variable of the recorder's own environment that holds its value: tokens."""
    protocol: Literal["handshake", "auto"] = "handshake"
    """`handshake`: `initialize`, as every server up to protocol 2025-11-25 knows it; `auto`: ask `server/discover`
    first (protocol 2026-07-28), and fall back."""
    timeout_s: float = Field(default=60.0, gt=0, le=86_400)
    """Seconds; a call that is not answered by then is cancelled."""
    start_s: float = Field(default=60.0, gt=0, le=86_400)
    """Seconds until the server must have said what it offers."""
    sampling: Sampling | None = None
    """None: the server is told that nobody samples."""
    elicitation: Elicitation | None = None
    """None: the server is told that nobody can be asked."""
    roots: tuple[str, ...] | None = None
    """Folders (`{workdir}`) or `file://` addresses that the server may work in; none: it is told of none."""
    progress: bool = False
    """Whether servers are asked to report progress; the reports stand on the tape only."""

    @field_validator("files")
    @classmethod
    def _inside(cls, files: dict[str, str]) -> dict[str, str]:
        for name in files:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or not path.parts:
                raise ValueError(f"{name!r} is no path inside the folder")
        return files

    @model_validator(mode="after")
    def _one_server(self) -> Self:
        if [self.server, self.command, self.url].count(None) != 2:  # noqa: PLR2004
            raise ValueError("name either a server, a command or a url")
        local = {"args", "env", "env_from", "cwd", "files"} if self.url is not None else {"headers", "headers_from"}
        for name in sorted(self.model_fields_set & local):
            if getattr(self, name) != type(self).model_fields[name].get_default(call_default_factory=True):
                raise ValueError(f"{name} does nothing with a {'command' if self.url is None else 'url'}")
        return self

    def environment(self, workdir: str) -> dict[str, str]:
        """Return the whole environment of the server's process.

        Raises:
            ConfigError: a variable of `env_from` is not set here.
        """
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        given = {name: value.replace(WORKDIR, workdir) for name, value in self.env.items()}
        return inherited | given | {name: _from_outside(name, "env_from") for name in self.env_from}

    def argv(self, workdir: str) -> list[str]:
        """Return the command and its arguments."""
        program = [self.command or ""]
        if self.server is not None:
            program = [sys.executable, "-m", f"{__package__}.servers.{self.server}"]
            program += ["--database", f"{WORKDIR}/orders.db"] if self.server == "orders" else []
        return [part.replace(WORKDIR, workdir) for part in (*program, *self.args)]

    def http_headers(self) -> dict[str, str]:
        """Return the headers of every request.

        Raises:
            ConfigError: a variable of `headers_from` is not set here.
        """
        return self.headers | {name: _from_outside(key, "headers_from") for name, key in self.headers_from.items()}

    def spec(self) -> EnvironmentSpec:
        """Return what is asked for, as the header of a tape names it."""
        parameters = self.model_dump(mode="json", exclude={"env", "env_from", "headers", "headers_from", "url"})
        parameters["env"] = dict(self.env) | dict.fromkeys(self.env_from, MASK)
        parameters["headers"] = shown(self.headers) | dict.fromkeys(self.headers_from, MASK)
        parameters["url"] = None if self.url is None else address(self.url)
        backend = "stdio" if self.url is None else "http"
        return EnvironmentSpec(kind="mcp", backend=backend, network="host", parameters=parameters)


def _from_outside(name: str, where: str) -> str:
    if name not in os.environ:
        raise ConfigError(f"the variable {name} is not set", where=where, fix=f"export {name}=…")
    return os.environ[name]


__all__ = ["WORKDIR", "Elicitation", "McpConfig", "Sampling"]
