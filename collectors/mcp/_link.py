"""The SDK's session over one of our transports, kept alive by a task of its own."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Protocol

from worldtape.collectors.mcp._stdio import Stdio
from worldtape.collectors.mcp._streams import Inbox
from worldtape.errors import ComponentError
from worldtape.schemas import Tool, canonical_json

if TYPE_CHECKING:
    from mcp.client.session import ClientSession
    from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
    from mcp.shared.message import SessionMessage

_MODERN_ROUNDS = 10
_MOST_PAGES = 100


class Transport(Protocol):
    """What a session needs of a connection."""

    inbox: Inbox
    gone: bool
    refused: int | None
    """The HTTP status of the last response, where it is 400 or more."""

    async def start(self) -> None: ...

    async def send(self, item: SessionMessage, /) -> None: ...

    async def close(self) -> None: ...

    async def settle(self) -> None: ...

    @property
    def status(self) -> int | None: ...

    @property
    def pid(self) -> int | None: ...


class Link:
    """Connects, asks and disconnects; all scopes of the SDK live in one task, whoever calls.

    Args:
        transport: not started yet.
        callbacks: of the session, by which the server's own requests are answered.
    """

    def __init__(self, transport: Transport, callbacks: dict[str, Any]) -> None:
        self.transport = transport
        self._callbacks = callbacks
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._dispatcher: JSONRPCDispatcher[Any] | None = None
        self._session: ClientSession | None = None

    @property
    def session(self) -> ClientSession:
        """The session, once `connect` has returned."""
        if self._session is None:
            raise ComponentError("the server was not started", fix="use the environment with `async with`")
        return self._session

    async def connect(self, protocol: str) -> None:
        """Introduce ourselves.

        Raises:
            MCPError: the server refuses, or is gone.
        """
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._keep(protocol, ready))
        try:
            await ready
        except BaseException:
            await self.close()
            raise

    async def ask(self, method: str, params: dict[str, Any], timeout_s: float, *, progress: bool = False) -> None:
        """Send a request and wait until it is answered; the answer is on the wire.

        Raises:
            TimeoutError: it was given up at the time limit; the server was told.
            MCPError: it was answered by an error, or the connection is over.
        """
        modern = self.session.discover_result is not None
        if isinstance(self.transport, Stdio) and not modern:
            await self.transport.ask(method, params, timeout_s, progress=progress)
            return
        assert self._dispatcher is not None
        async with asyncio.timeout(timeout_s):
            if modern:
                await self._rounds(method, params)
                return
            options: Any = {"on_progress": _ignore} if progress else {}
            await self._dispatcher.send_raw_request(method, params, options)

    async def tools(self) -> tuple[Tool, ...]:
        """Return what `tools/list` declares, all pages of it."""
        from mcp_types import PaginatedRequestParams

        found: dict[str, Tool] = {}
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            params = None if cursor is None else PaginatedRequestParams(cursor=cursor)
            page = await self.session.list_tools(params=params)
            for tool in page.tools:
                schema = canonical_json(tool.input_schema)
                found[tool.name] = Tool(name=tool.name, description=tool.description, input_schema=schema)
            cursor = page.next_cursor
            if not cursor:
                break
        return tuple(found.values())

    async def close(self) -> None:
        """Leave the session, then end the connection."""
        self._stop.set()
        try:
            if self._task is not None:
                if self._session is None:
                    self._task.cancel()
                await asyncio.wait([self._task])
        finally:
            await self.transport.close()

    async def _keep(self, protocol: str, ready: asyncio.Future[None]) -> None:
        from mcp.client.session import ClientSession
        from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
        from mcp_types import Implementation

        from worldtape import __version__

        _hush()
        try:
            streams: Any = (self.transport.inbox, self.transport)
            dispatcher: JSONRPCDispatcher[Any] = JSONRPCDispatcher(*streams)
            us = Implementation(name="worldtape", version=__version__)
            async with ClientSession(dispatcher=dispatcher, client_info=us, **self._callbacks) as session:
                await _introduce(session, protocol)
                self._dispatcher, self._session = dispatcher, session
                if not ready.done():
                    ready.set_result(None)
                await self._stop.wait()
        except Exception as error:  # noqa: BLE001  # whoever waits for the connection learns of it
            if not ready.done():
                ready.set_exception(error)

    async def _rounds(self, method: str, params: dict[str, Any]) -> None:
        """Carry out a request of protocol 2026-07-28, in which a server's own requests come as results."""
        from mcp.client.context import ClientRequestContext
        from mcp_types import InputRequiredResult

        session = self.session
        ask: Any = {
            "tools/call": lambda **more: session.call_tool(params["name"], params["arguments"], **more),
            "resources/read": lambda **more: session.read_resource(params["uri"], **more),
            "prompts/get": lambda **more: session.get_prompt(params["name"], params.get("arguments"), **more),
        }[method]
        more: dict[str, Any] = {}
        for _ in range(_MODERN_ROUNDS):
            result = await ask(allow_input_required=True, **more)
            if not isinstance(result, InputRequiredResult):
                return
            answers = {}
            for key, request in (result.input_requests or {}).items():
                context = ClientRequestContext(session=session, request_id=key)
                answers[key] = await session.dispatch_input_request(context, request)
            more = {"input_responses": answers, "request_state": result.request_state}


async def _introduce(session: ClientSession, protocol: str) -> None:
    from mcp.shared.exceptions import MCPError

    if protocol == "auto":
        try:
            await session.discover()
        except (MCPError, RuntimeError, ValueError):
            pass  # an older server
        else:
            return
    await session.initialize()


def _hush() -> None:
    """Keep the SDK's log off stderr where nobody has asked for it: what it complains of is on the tape."""
    for name in ("mcp", "client"):
        logger = logging.getLogger(name)
        if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
            logger.addHandler(logging.NullHandler())


async def _ignore(_progress: float, _total: float | None, _message: str | None) -> None:
    """Progress stands on the tape; nobody else wants it."""


__all__ = ["Link", "Transport"]
