"""A server over streamable HTTP: the SDK's transport over a client of ours that keeps what passes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from worldtape.collectors.mcp._secrets import address, shown
from worldtape.collectors.mcp._sse import Events, ServerEvent
from worldtape.collectors.mcp._streams import Inbox
from worldtape.collectors.mcp._wire import Wire
from worldtape.errors import ComponentError

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

HTTP = "mcp.http"
"""Channel: one line of JSON for each request and each response, without bodies."""
_REFUSED = 400
_LEAVE_S = 4.0
"""So long a server has to take note of the end of its session."""


class Http:
    """Speaks with the server at `url`; the requests of one connection are numbered from 0.

    Bodies of requests stand on the channel `mcp.out`, JSON bodies and the `data` of server-sent events on `mcp.in`,
    each as one line: line feeds in it, which JSON has between tokens only, become spaces.

    Attributes:
        inbox: the server's messages.
        gone: whether the last request could not be sent, or the SDK has given up.
        refused: the status of the last response, where it is 400 or more.
    """

    def __init__(self, wire: Wire, url: str, headers: Mapping[str, str]) -> None:
        self.inbox = Inbox()
        self.gone = False
        self.refused: int | None = None
        self._wire = wire
        self._url = url
        self._headers = dict(headers)
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._write: Any = None

    @property
    def status(self) -> int | None:
        """Nothing is known of the process behind an address."""
        return None

    @property
    def pid(self) -> int | None:
        """Nor is this."""
        return None

    async def start(self) -> None:
        """Make ready; nothing is sent yet."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._keep(ready))
        await ready

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        await self._write.send(item)

    async def settle(self) -> None:
        """Nothing more will be known."""

    async def aclose(self) -> None:
        """Nothing more is to be sent."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def close(self) -> None:
        """End the session at the server, and all connections; a server that does not say goodbye is left."""
        self._stop.set()
        if self._task is not None:
            _, late = await asyncio.wait([self._task], timeout=_LEAVE_S)
            for task in late:
                task.cancel()
            await asyncio.wait([self._task])
            if not self._task.cancelled():
                self._task.exception()

    async def _keep(self, ready: asyncio.Future[None]) -> None:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        timeout = httpx2.Timeout(30.0, read=None)
        transport = _recording(self)
        headers = {"accept-encoding": "identity"} | self._headers
        client = httpx2.AsyncClient(headers=headers, timeout=timeout, transport=transport)
        try:
            async with (
                client,
                streamable_http_client(self._url, http_client=client, max_sse_event_size=None) as (read, write),
            ):
                self._write = write
                ready.set_result(None)
                pump = asyncio.create_task(self._pump(read))
                await self._stop.wait()
                pump.cancel()
                await asyncio.wait([pump])
        except Exception as error:  # noqa: BLE001  # the connection is over, whatever ended it
            if not ready.done():
                ready.set_exception(ComponentError(f"the address cannot be used: {error}", where=address(self._url)))
        finally:
            self.inbox.close()

    async def _pump(self, read: Any) -> None:
        async for item in read:
            self.inbox.put(item)
        self.gone = True  # the SDK has given up
        self.inbox.close()

    def request(self, number: int, request: Any, body: bytes) -> None:
        """Keep a request that is about to be sent."""
        self.gone, self.refused = False, None
        facts = {"n": number, "method": request.method, "url": address(str(request.url))}
        self._wire.note(HTTP, facts | {"headers": shown(request.headers)})
        if body:
            self._wire.sent(one_line(body))

    def response(self, number: int, response: Any) -> None:
        """Keep the head of a response."""
        self.refused = response.status_code if response.status_code >= _REFUSED else None
        self._wire.last_err = ""
        facts = {"n": number, "status": response.status_code}
        self._wire.note(HTTP, facts | {"headers": shown(response.headers)})

    def came(self, body: bytes) -> None:
        """Keep a message of the server."""
        if body.strip():
            self._wire.came(one_line(body))

    def note(self, number: int, **facts: Any) -> None:
        """Keep something else about a request."""
        self._wire.note(HTTP, {"n": number} | facts)

    def failed(self, number: int, error: Exception) -> None:
        """Keep that a request failed below HTTP: the address does not answer, or the connection broke."""
        why = f"{type(error).__name__}: {error}"
        self.note(number, error=why)
        self._wire.last_err = why


def one_line(body: bytes) -> bytes:
    """Return a body as one line: what is between tokens of JSON may be a space as well."""
    return body.strip().replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


class _Body:
    """Hands a body on, each message of it after it is kept."""

    def __init__(self, http: Http, number: int, inner: Any, kind: str) -> None:
        self._http, self._number, self._inner = http, number, inner
        self._events = Events() if kind.startswith("text/event-stream") else None

    async def read(self) -> AsyncIterator[bytes]:
        """Give what may be handed on."""
        kept: list[bytes] = []
        try:
            async for chunk in self._inner:
                if self._events is None:
                    kept.append(chunk)
                    continue
                whole = self._events.feed(chunk)
                self._take(whole.events)
                if whole.data:
                    yield whole.data
        except Exception as error:
            self._http.failed(self._number, error)
            raise
        if self._events is not None:
            yield self._events.rest()
            return
        self._http.came(b"".join(kept))
        for chunk in kept:
            yield chunk

    def _take(self, events: list[ServerEvent]) -> None:
        for event in events:
            if event.fields:
                self._http.note(self._number, event=event.fields)
            self._http.came(event.data)


def _recording(http: Http) -> Any:
    import httpx2

    class Stream(httpx2.AsyncByteStream):
        def __init__(self, body: _Body, inner: Any) -> None:
            self._body, self._inner = body, inner

        def __aiter__(self) -> AsyncIterator[bytes]:
            return self._body.read()

        async def aclose(self) -> None:
            await self._inner.aclose()

    class Recording(httpx2.AsyncBaseTransport):
        """Keeps what passes through the transport below."""

        def __init__(self) -> None:
            self._below = httpx2.AsyncHTTPTransport()
            self._number = 0

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            number, self._number = self._number, self._number + 1
            http.request(number, request, await request.aread())
            try:
                response = await self._below.handle_async_request(request)
            except Exception as error:
                http.failed(number, error)
                http.gone = http.gone or request.method == "POST"
                raise
            http.response(number, response)
            kind = response.headers.get("content-type", "").lower()
            if response.status_code >= _REFUSED:  # nobody reads all of these
                body = await response.aread()
                http.came(body)
                response.stream = httpx2.ByteStream(body)
                return response
            response.stream = Stream(_Body(http, number, response.stream, kind), response.stream)
            return response

        async def aclose(self) -> None:
            await self._below.aclose()

    return Recording()


__all__ = ["HTTP", "Http", "one_line"]
