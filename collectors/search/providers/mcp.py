"""Any search server that speaks MCP."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.mcp._json import GARBAGE, parse
from worldtape.collectors.mcp.actions import tool_call
from worldtape.collectors.mcp.environment import Mcp
from worldtape.collectors.search._wire import Wire
from worldtape.collectors.search.answers import Body, Fault, Hits, Introduced, Page
from worldtape.collectors.search.config import McpCall, McpSearchConfig
from worldtape.collectors.search.providers.paths import filled, hits_at
from worldtape.errors import ComponentError
from worldtape.schemas import Status, StepResult


class McpProvider:
    """Calls the server's own tools; its frames stand on the channels of the MCP collector."""

    def __init__(self, config: McpSearchConfig) -> None:
        self._config = config
        self._server: Mcp | None = None

    async def start(self) -> None:
        """Start the server.

        Raises:
            ComponentError: it cannot be started.
        """
        self._server = await Mcp(self._config.server).__aenter__()

    async def introduce(self, wire: Wire) -> Introduced:
        """Say which server it is.

        Raises:
            ComponentError: it does not answer, or has no such tool.
        """
        ready = await self._started.reset(wire)
        offered = {tool.name for tool in ready.environment.tools}
        for call in (self._config.search, self._config.extract):
            if call is not None and call.tool not in offered:
                known = f"it has: {', '.join(sorted(offered)) or 'none'}"
                raise ComponentError(f"the server has no tool {call.tool!r}", where="search", fix=known)
        names = [name for name in ready.environment.versions if name not in ("mcp", "mcp-sdk")]
        text = f"Search engine: {names[0] if names else 'an MCP server'}"
        return Introduced(text=text, versions=ready.environment.versions)

    async def search(self, query: str, count: int, wire: Wire, limit_s: float) -> Hits | Fault:
        """Call the search tool."""
        got = await self._call(self._config.search, wire, limit_s, query=query, count=count)
        if isinstance(got, Fault):
            return got
        text = got.observation.text
        if self._config.results is None:
            return Hits(text=text or None)
        found = hits_at(self._config.results, self._config.fields, _json(got), count)
        if found is None:
            return Fault(Status.ENV_ERROR, "invalid_answer", "the search server sent no list of results")
        return Hits(found)

    async def page(self, url: str, goal: str | None, wire: Wire, limit_s: float) -> Body | Page | Fault:
        """Call the extractor."""
        assert self._config.extract is not None
        got = await self._call(self._config.extract, wire, limit_s, url=url, goal=goal or "")
        if isinstance(got, Fault):
            return got
        if not got.observation.text.strip():
            return Fault(Status.TOOL_ERROR, "no_content", f"no content could be extracted from {url}")
        return Page(url=url, markdown=got.observation.text)

    async def close(self) -> None:
        """End the server."""
        server, self._server = self._server, None
        if server is not None:
            await server.__aexit__(None, None, None)

    @property
    def _started(self) -> Mcp:
        if self._server is None:
            raise ComponentError("the server was not started", fix="use the environment with `async with`")
        return self._server

    async def _call(self, call: McpCall, wire: Wire, limit_s: float, **given: Any) -> StepResult | Fault:
        arguments = filled(call.arguments, **given)
        got = await self._started.step(tool_call(call.tool, arguments, timeout_s=limit_s), wire)
        outcome = got.outcome
        if outcome.status is Status.OK:
            return got
        error = outcome.error
        message = got.observation.text or (error.message if error is not None else None) or str(outcome.status)
        if outcome.status is Status.PROTOCOL_ERROR and error is not None and error.message:
            message = error.message
        return Fault(
            status=outcome.status,
            type=(error.type if error is not None else None) or "server",
            message=" ".join(message.removeprefix("Error: ").split()),
            code=None if error is None else error.code,
            final=got.done,
        )


def _json(got: StepResult) -> Any:
    """Return the structured content, else the text where it is JSON."""
    texts = [part.text for part in got.observation.parts if part.channel == "structured" and part.text is not None]
    value = parse((texts[0] if texts else got.observation.text).encode())
    return None if value is GARBAGE else value


__all__ = ["McpProvider"]
