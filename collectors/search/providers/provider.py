"""What a search environment needs of an engine."""

from __future__ import annotations

from typing import Protocol

from worldtape.collectors.search._wire import Wire
from worldtape.collectors.search.answers import Body, Fault, Hits, Introduced, Page
from worldtape.collectors.search.config import SearchConfig


class Provider(Protocol):
    """An engine: it answers, or says what went wrong; everything it reads goes through the wire first."""

    async def start(self) -> None:
        """Connect.

        Raises:
            ComponentError: it cannot be used.
        """
        ...

    async def introduce(self, wire: Wire) -> Introduced:
        """Say what it is, once, before anything is asked.

        Raises:
            ComponentError: it cannot be used.
        """
        ...

    async def search(self, query: str, count: int, wire: Wire, limit_s: float) -> Hits | Fault:
        """Return at most `count` results, best first, within `limit_s` seconds."""
        ...

    async def close(self) -> None:
        """Disconnect."""
        ...


class Pages(Protocol):
    """Where pages come from: an engine that has them, or the web."""

    async def page(self, url: str, goal: str | None, wire: Wire, limit_s: float) -> Body | Page | Fault:
        """Return a page, or what is said where it cannot be had, within `limit_s` seconds."""
        ...


def make_provider(config: SearchConfig) -> Provider:
    """Return the engine that `config` names, not started yet."""
    if config.http is not None:
        from worldtape.collectors.search.providers.http import HttpProvider

        return HttpProvider(config.http)
    if config.mcp is not None:
        from worldtape.collectors.search.providers.mcp import McpProvider

        return McpProvider(config.mcp)
    from worldtape.collectors.search.providers.embedded import EmbeddedProvider

    return EmbeddedProvider(config.embedded)


__all__ = ["Pages", "Provider", "make_provider"]
