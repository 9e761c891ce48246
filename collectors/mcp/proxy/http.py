"""A proxy between clients that reach us by HTTP and a server at an address."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import orjson

from worldtape.collectors.mcp._http import HTTP, one_line
from worldtape.collectors.mcp._json import messages
from worldtape.collectors.mcp._secrets import address, shown
from worldtape.collectors.mcp._sse import Events
from worldtape.collectors.mcp.proxy._keeper import Keeper
from worldtape.collectors.mcp.render.result import IN, OUT
from worldtape.errors import ComponentError
from worldtape.schemas import End, EndStatus

if TYPE_CHECKING:
    import httpx2

_HOP = frozenset(("connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"))
_HOP |= {"proxy-authenticate", "proxy-authorization"}
_SESSION = b"mcp-session-id"
_BAD_GATEWAY = 502
_GRACE_S = 1
_REASON = "the proxy was ended"
Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]


class HttpProxy:
    """Listens on this machine and passes requests on to the server at `url`, and answers back as they come.

    Each session (`Mcp-Session-Id`) has a tape, begun by its `initialize`; requests without a session share one. Bodies
    pass unchanged, so do headers but for those that belong to one connection (and `accept-encoding`: bodies come
    uncompressed). An event of a stream is passed on when it is whole and on the tape.

    Args:
        url: of the server; its path and query are the client's.
        begin: starts a tape.
        host: to listen at.
        port: 0: any that is free.
    """

    def __init__(self, url: str, begin: Callable[[], Keeper], *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._url = url
        self._begin = begin
        self._listening = (host, port)
        self._keepers: dict[bytes | None, Keeper] = {}
        self._number = 0
        self._below: Any = None
        self.failed: str | None = None

    async def serve(self, ready: Callable[[str], None]) -> None:
        """Pass on until SIGINT or SIGTERM; `ready` is told the address for clients.

        Raises:
            ComponentError: the port is taken.
        """
        import httpx2
        import uvicorn

        target = httpx2.URL(self._url)
        plain: Any = dict.fromkeys(("access_log", "proxy_headers", "server_header", "date_header"), False)
        plain |= {"interface": "asgi3", "lifespan": "off", "log_config": None, "timeout_graceful_shutdown": _GRACE_S}
        config = uvicorn.Config(self._app, **plain)
        try:
            listener = socket.create_server(self._listening)
        except OSError as error:
            raise ComponentError(
                f"cannot listen: {error.strerror}",
                where=":".join(map(str, self._listening)),
                fix="choose another --port",
            ) from error
        self._below = httpx2.AsyncHTTPTransport()
        host, port = listener.getsockname()[:2]
        ready(f"http://{host}:{port}{target.raw_path.decode()}")
        try:
            await uvicorn.Server(config).serve(sockets=[listener])
        finally:
            for keeper in set(self._keepers.values()):
                self._end(keeper, End(status=EndStatus.COMPLETED, reason=_REASON, steps=0))
            await self._below.aclose()
            listener.close()

    async def _app(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        body = await _whole(receive)
        if body is None:
            return
        relay = asyncio.create_task(self._relay(scope, body, send))
        gone = asyncio.create_task(_gone(receive))
        await asyncio.wait([relay, gone], return_when=asyncio.FIRST_COMPLETED)
        for task in (relay, gone):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _relay(self, scope: dict[str, Any], body: bytes, send: Send) -> None:
        import httpx2

        number, self._number = self._number, self._number + 1
        session = dict(scope["headers"]).get(_SESSION)
        fresh = any(message.get("method") == "initialize" for message in messages(body)) and session is None
        keeper = (
            self._begin() if fresh else self._keepers.get(session) or self._keepers.setdefault(session, self._begin())
        )
        request = self._request(scope, body)
        _note(keeper, number, method=scope["method"], url=address(str(request.url)), headers=shown(request.headers))
        if body.strip():
            keeper.put(OUT, one_line(body))
        try:
            response = await self._below.handle_async_request(request)
        except httpx2.TransportError as error:
            _note(keeper, number, error=f"{type(error).__name__}: {error}")
            await _refuse(send, f"worldtape proxy: {address(self._url)} does not answer: {type(error).__name__}")
            return
        if fresh:
            given = response.headers.get(_SESSION.decode())
            self._keepers[None if given is None else given.encode()] = keeper
        _note(keeper, number, status=response.status_code, headers=shown(response.headers))
        try:
            await self._answer(keeper, number, response, send)
        finally:
            await response.aclose()
            if scope["method"] == "DELETE" and session in self._keepers:
                self._end(self._keepers.pop(session), End(status=EndStatus.COMPLETED, reason="deleted", steps=0))

    def _request(self, scope: dict[str, Any], body: bytes) -> httpx2.Request:
        import httpx2

        query = scope["query_string"]
        path = scope["raw_path"] + (b"?" + query if query else b"")
        url = httpx2.URL(self._url).copy_with(raw_path=path)
        dropped = _HOP | {"host", "content-length", "accept-encoding"}
        headers = [(name, value) for name, value in scope["headers"] if name.decode("latin-1") not in dropped]
        headers.append((b"accept-encoding", b"identity"))
        return httpx2.Request(scope["method"], url, headers=headers, content=body)

    async def _answer(self, keeper: Keeper, number: int, response: Any, send: Send) -> None:
        headers = [(name.lower(), value) for name, value in response.headers.raw if name.lower().decode() not in _HOP]
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
        stream = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        read = _events if stream else _body
        try:
            async for data in read(keeper, number, response):
                await send({"type": "http.response.body", "body": data, "more_body": True})
        except Exception as error:
            _note(keeper, number, error=f"{type(error).__name__}: {error}")
            raise
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _end(self, keeper: Keeper, end: End) -> None:
        keeper.close(end)
        self.failed = self.failed or keeper.failed


async def _events(keeper: Keeper, number: int, response: Any) -> AsyncIterator[bytes]:
    events = Events()
    async for chunk in response.stream:
        whole = events.feed(chunk)
        for event in whole.events:
            if event.fields:
                _note(keeper, number, event=event.fields)
            if event.data.strip():
                keeper.put(IN, one_line(event.data))
        if whole.data:
            yield whole.data
    yield events.rest()


async def _body(keeper: Keeper, _number: int, response: Any) -> AsyncIterator[bytes]:
    body = b"".join([chunk async for chunk in response.stream])
    if body.strip():
        keeper.put(IN, one_line(body))
    yield body


def _note(keeper: Keeper, number: int, **facts: Any) -> None:
    keeper.put(HTTP, orjson.dumps({"n": number, **facts}) + b"\n")


async def _whole(receive: Receive) -> bytes | None:
    """Return the body of a request; None where the client left before its end."""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(send: Send, why: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": _BAD_GATEWAY, "headers": headers})
    await send({"type": "http.response.body", "body": why.encode() + b"\n"})


__all__ = ["HttpProxy"]
