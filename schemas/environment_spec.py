"""What an environment is: asked for in the header, found in the ready event."""

from typing import Any

from pydantic import Field

from worldtape.schemas._model import Model
from worldtape.schemas.limits import Limits
from worldtape.schemas.tool import Tool


class EnvironmentSpec(Model):
    """Everything one needs to build the same environment again."""

    kind: str
    """Which environment: `terminal`, `web`, …"""
    backend: str | None = None
    """What it runs on: `docker`, `local`, `chromium`, …"""
    image: str | None = None
    """The image by name, as it was asked for."""
    image_digest: str | None = None
    """The image by content (`sha256:…`); found, never asked."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Component to version: kernel, shell, browser, server."""
    network: str = "none"
    """`none`, `bridge`, `replay`, …"""
    locale: str | None = None
    timezone: str | None = None
    clock: str = "real"
    """`real`, `frozen` or `virtual`."""
    limits: Limits | None = None
    seed: int | None = None
    tools: tuple[Tool, ...] = ()
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Settings of this kind of environment: screen size, wait mode, start page, …"""
