"""Where a demo can record: in containers, in namespaces, or nowhere."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from worldtape.collectors.terminal.image import ensure_image
from worldtape.collectors.terminal.sandbox import SandboxConfig, make_sandbox
from worldtape.errors import ComponentError

PULL_S = 20.0
"""So long a pull of the container image may take."""


@dataclass(frozen=True, slots=True)
class Place:
    """The best place found, and why it is not a better one."""

    kind: Literal["docker", "local", "tapes"]
    """Containers, namespaces, or the tapes that we ship."""
    image: str | None = None
    """The container image."""
    missing: tuple[str, ...] = ()
    """One line for each better place that could not be had."""

    def environment(self) -> dict[str, Any]:
        """Return the settings of a job's environment."""
        image = {} if self.image is None else {"image": self.image}
        return {"kind": "terminal", "sandbox": self.kind} | image

    def __str__(self) -> str:
        if self.kind == "docker":
            return f"Docker containers of {self.image}"
        return "the local sandbox (namespaces)" if self.kind == "local" else "the tapes that Worldtape ships"


def find_place(*, pull_s: float = PULL_S) -> Place:
    """Return the best place on this machine: a container, else a local sandbox, else the shipped tapes."""
    missing: list[str] = []
    try:
        return Place("docker", ensure_image(pull_s=pull_s).name)
    except ComponentError as error:
        missing.append(f"no containers: {error}")
    try:
        asyncio.run(_try(SandboxConfig(kind="local")))
    except ComponentError as error:
        missing.append(f"no local sandbox: {error}")
        return Place("tapes", missing=tuple(missing))
    return Place("local", missing=tuple(missing))


async def _try(config: SandboxConfig) -> None:
    sandbox = make_sandbox(config)
    try:
        await sandbox.start(cols=80, rows=24)
    finally:
        await sandbox.close()
