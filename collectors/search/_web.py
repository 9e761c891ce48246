"""Bodies fetched over HTTP: recorded as they came, and every failure in words."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from worldtape.collectors.search._wire import Wire
from worldtape.collectors.search.answers import Body, Fault, Page
from worldtape.collectors.search.config import WebConfig
from worldtape.schemas import Status

if TYPE_CHECKING:
    import httpx

_ACCEPT = "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,*/*;q=0.5"
_MIB = 1 << 20
_ERRORS = 400


class Web:
    """Fetches one thing at a time, with a connection pool of its own.

    Args:
        config: how pages are fetched.
        guarded: whether private addresses are refused, as `config` says; an address that the settings name is not.
    """

    def __init__(self, config: WebConfig, *, guarded: bool) -> None:
        self._config = config
        self._guarded = guarded and not config.private
        self._client: httpx.AsyncClient | None = None

    async def page(self, url: str, goal: str | None, wire: Wire, limit_s: float) -> Body | Page | Fault:  # noqa: ARG002
        """Return the page at `url`; HTTP ≥ 400 is a fault."""
        got = await self.fetch("GET", url, {"accept": _ACCEPT}, None, wire, limit_s)
        return refused(got, url) or got if isinstance(got, Body) else got

    async def fetch(
        self, method: str, url: str, headers: Mapping[str, str], body: Any, wire: Wire, limit_s: float
    ) -> Body | Fault:
        """Return the body of the answer, whatever its HTTP status; redirects are followed.

        The parameters are those of one HTTP request; `body` is sent as JSON.
        """
        import httpx

        sent = wire.masked(url)
        if not _address(url):
            return Fault(Status.TOOL_ERROR, "invalid_url", f"invalid URL '{sent}': http and https can be opened")
        got = _Got()
        try:
            async with asyncio.timeout(limit_s):
                return await self._follow(method, url, headers, body, wire, got)
        except TimeoutError:
            got.keep(wire)
            return Fault(Status.TIMEOUT_KILLED, "timeout", f"no answer from {sent} within {limit_s:g} s")
        except httpx.InvalidURL:
            return Fault(Status.TOOL_ERROR, "invalid_url", f"invalid URL '{sent}'")
        except httpx.RequestError as error:
            got.keep(wire)
            return Fault(Status.ENV_ERROR, *_told(error, _host(sent)))

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _follow(
        self, method: str, url: str, headers: Mapping[str, str], body: Any, wire: Wire, got: _Got
    ) -> Body | Fault:
        client = self._started()
        agent = {"user-agent": self._config.user_agent}
        asked = client.build_request(method, url, headers=agent | dict(headers), json=body)
        for _ in range(self._config.redirects + 1):
            place = str(asked.url)
            if self._guarded and not await _public(asked.url.host):
                return Fault(Status.TOOL_ERROR, "private_address", f"{wire.masked(place)} is no public address")
            await asked.aread()
            wire.asks(_request(asked, wire))
            got.begin(wire.masked(place))
            response = await client.send(asked, stream=True)
            try:
                body_of = await got.read(response, self._config.page_mb * _MIB)
            finally:
                await response.aclose()
            got.keep(wire)
            if response.next_request is None:
                return body_of
            asked = response.next_request
        if not self._config.redirects:
            message = f"{_host(wire.masked(url))} redirects to {_host(wire.masked(str(asked.url)))}"
            return Fault(Status.TOOL_ERROR, "redirected", message)
        message = f"more than {self._config.redirects} redirects from {wire.masked(url)}"
        return Fault(Status.TOOL_ERROR, "too_many_redirects", message)

    def _started(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            self._client = httpx.AsyncClient(timeout=None)  # noqa: S113 - the whole request has one limit
        return self._client


class _Got:
    """What has come of one answer so far."""

    def __init__(self) -> None:
        self._url = ""
        self._data: list[bytes] = []
        self._head: dict[str, Any] | None = None
        self._cut = False

    def begin(self, url: str) -> None:
        self._url, self._data, self._head, self._cut = url, [], None, False

    async def read(self, response: httpx.Response, most: int) -> Body:
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in response.headers.raw}
        self._head = {"status": response.status_code, "headers": headers}
        size = 0
        self._cut = True
        async for chunk in response.aiter_bytes():
            self._data.append(chunk[: most - size])
            size += len(chunk)
            if size > most:
                break
        else:
            self._cut = False
        return self.body()

    def body(self) -> Body:
        head = self._head or {}
        kind, _, rest = str(_header(head, "content-type")).partition(";")
        charset = rest.partition("charset=")[2].partition(";")[0].strip(" \"'") or None
        media = kind.strip().lower()
        return Body(self._url, media, b"".join(self._data), charset=charset, cut=self._cut, head=head)

    def keep(self, wire: Wire) -> None:
        """Record what came, once."""
        if self._head is not None:
            wire.came(self.body())
            self._head = None


def refused(body: Body, url: str, message: str | None = None) -> Fault | None:
    """Return the fault that an HTTP status ≥ 400 is."""
    status = int(body.head.get("status", 0))
    if status < _ERRORS:
        return None
    told = f"{status} {_phrase(status)}".strip()
    return Fault(Status.TOOL_ERROR, "http", f"{told} for {url}{f': {message}' if message else ''}", code=status)


def _host(url: str) -> str:
    return urlsplit(url).hostname or url


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _header(head: Mapping[str, Any], name: str) -> str:
    return next((value for key, value in head.get("headers", {}).items() if key.lower() == name), "")


def _address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # also a port that cannot be one
        return False


async def _public(host: str) -> bool:
    """Tell whether all addresses of `host` are public; one that has none is left to the connection to report."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return True
    return all(ipaddress.ip_address(str(item[4][0]).partition("%")[0]).is_global for item in found)


def _request(asked: httpx.Request, wire: Wire) -> dict[str, Any]:
    headers = {key: wire.masked(value) for key, value in asked.headers.items()}
    found = {"method": asked.method, "url": wire.masked(str(asked.url)), "headers": headers}
    return found | ({"body": wire.masked(asked.content.decode("utf-8", "replace"))} if asked.content else {})


def _told(error: httpx.RequestError, host: str) -> tuple[str, str]:
    """Return type and words of a failed connection, the same on every system."""
    import httpx

    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "dns", f"could not resolve host: {host}"
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return "tls", f"TLS error with {host}"
    if isinstance(error, httpx.ConnectError):
        return "connect", f"could not connect to {host}"
    return "connection", f"the connection to {host} broke: {type(error).__name__}"


__all__ = ["Web", "refused"]
