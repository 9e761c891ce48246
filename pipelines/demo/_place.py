"""Where a demo can record: terminals in containers, in namespaces, or nowhere; pages in a browser, or nowhere."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from worldtape.collectors.terminal.image import ensure_image
from worldtape.collectors.terminal.sandbox import SandboxConfig, make_sandbox
from worldtape.errors import ComponentError, need

PULL_S = 20.0
"""So long a pull of the container image may take."""


@dataclass(frozen=True, slots=True)
class Place:
    """The best place found, and why it is not a better one. MCP servers need nothing but Python."""

    kind: Literal["docker", "local", "tapes"]
    """Of terminals: containers, namespaces, or the tapes that we ship."""
    image: str | None = None
    """The container image."""
    missing: tuple[str, ...] = ()
    """One line for each better place that could not be had."""
    browser: str | None = None
    """The browser and its version; none: the tapes that we ship."""
    search: bool = True
    """Whether pages can be read, so that a search engine can be had; where not, the domain is left out."""

    def environment(self) -> dict[str, Any]:
        """Return the settings of a terminal's environment in a job."""
        image = {} if self.image is None else {"image": self.image}
        return {"kind": "terminal", "sandbox": self.kind} | image

    @property
    def shipped(self) -> tuple[str, ...]:
        """The domains that cannot be recorded here."""
        lacking = {"terminal": self.kind == "tapes", "web": self.browser is None}
        return tuple(domain for domain, lacks in lacking.items() if lacks)

    def __str__(self) -> str:
        shells = {"docker": f"Docker containers of {self.image}", "local": "the local sandbox (namespaces)"}
        places = [shells[self.kind]] if self.kind in shells else []
        places += [self.browser] if self.browser is not None else []
        places += ["an MCP server", *(["a search engine"] if self.search else [])]
        text = ", ".join(places)
        return text + (f"; {' and '.join(self.shipped)} from the tapes that Worldtape ships" if self.shipped else "")


def find_place(*, pull_s: float = PULL_S) -> Place:
    """Return the best place on this machine: a container, else a local sandbox, else shipped tapes; and a browser."""
    missing: list[str] = []
    kind: Literal["docker", "local", "tapes"] = "docker"
    image: str | None = None
    browser: str | None = None
    try:
        image = ensure_image(pull_s=pull_s).name
    except ComponentError as error:
        kind = "local"
        missing.append(f"no containers: {error}")
    if kind == "local":
        try:
            asyncio.run(_try(SandboxConfig(kind="local")))
        except ComponentError as error:
            kind = "tapes"
            missing.append(f"no local sandbox: {error}")
    try:
        browser = f"Chromium {asyncio.run(_browse())}"
    except ComponentError as error:
        missing.append(f"no browser: {error}")
    search = True
    try:
        need("trafilatura", extra="search")
    except ComponentError as error:
        search = False
        missing.append(f"no search engine: {error}")
    return Place(kind, image, tuple(missing), browser, search)


async def _try(config: SandboxConfig) -> None:
    sandbox = make_sandbox(config)
    try:
        await sandbox.start(cols=80, rows=24)
    finally:
        await sandbox.close()


async def _browse() -> str:
    from worldtape.collectors.web import Web, WebConfig

    async with Web(WebConfig(site="shop")) as browser:
        ready = await browser.reset(lambda *_: None)
        return ready.environment.versions["chromium"]
