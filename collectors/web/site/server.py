"""A small HTTP server on loopback, in the event loop of who asks for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from worldtape.collectors.web.site.request import Request
from worldtape.collectors.web.site.response import Response
from worldtape.errors import boundary

if TYPE_CHECKING:
    import h11

_CHUNK = 65536
_MOST = 1 << 20
"""A larger body is refused, bytes."""


class Server:
    """Answers HTTP/1.1 on a free port of 127.0.0.1; HTTP itself is h11's.

    It also takes requests as proxies are sent them (`GET http://any.host/path`) and answers each from its own pages, so
    that a browser context with this proxy sees a host name that never changes. No other machine is ever asked.

    Args:
        answer: gives the response to a request; quick, since everything else in the event loop waits for it.
    """

    def __init__(self, answer: Callable[[Request], Response]) -> None:
        self.port = 0
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen; `port` is known then."""
        with boundary("127.0.0.1"):
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening and drop every connection, answered or not."""
        if self._server is None:
            return
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._talk(reader, writer)
        except (asyncio.CancelledError, ConnectionError):
            pass  # the site closes, or the browser went away
        finally:
            self._open.discard(task)
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        import h11

        http = h11.Connection(h11.SERVER)
        while True:
            try:
                request = await _read(http, reader)
            except h11.RemoteProtocolError as error:
                _send(http, writer, Response(b"bad request\n", error.error_status_hint, "text/plain"), whole=True)
                return
            if request is None:
                return
            response = self._answer(request)
            if response.delay_s:
                await asyncio.sleep(response.delay_s)
            whole = request.method != "HEAD"
            _send(http, writer, response, whole=whole)
            await writer.drain()
            if response.cut or http.our_state is not h11.DONE or http.their_state is not h11.DONE:
                return
            http.start_next_cycle()


async def _read(http: h11.Connection, reader: asyncio.StreamReader) -> Request | None:
    """Return the next request of a connection; None when the browser has closed it."""
    import h11

    head: h11.Request | None = None
    body = bytearray()
    while True:
        event = http.next_event()
        if event is h11.NEED_DATA:
            http.receive_data(await reader.read(_CHUNK))
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > _MOST:
                raise h11.RemoteProtocolError("the body is too large", error_status_hint=413)
        elif isinstance(event, h11.EndOfMessage) and head is not None:
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
            try:
                return Request.of(head.method.decode("latin-1"), head.target.decode("latin-1"), headers, bytes(body))
            except ValueError as error:
                raise h11.RemoteProtocolError(str(error)) from error
        else:
            return None


def _send(http: h11.Connection, writer: asyncio.StreamWriter, response: Response, *, whole: bool) -> None:
    import h11

    if http.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
        return
    lines = [(name.encode(), value.encode("latin-1", "replace")) for name, value in response.lines().items()]
    out = http.send(h11.Response(status_code=int(response.status), headers=lines))
    if response.cut:
        writer.write((out or b"") + response.body[: len(response.body) // 2])
        return
    body = http.send(h11.Data(response.body)) if whole else None
    writer.write((out or b"") + (body or b"") + (http.send(h11.EndOfMessage()) or b""))
