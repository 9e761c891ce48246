"""Any search service with a JSON API."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode, urlsplit

from worldtape.collectors.mcp._json import GARBAGE, parse
from worldtape.collectors.search._web import Web, refused
from worldtape.collectors.search._wire import Wire
from worldtape.collectors.search.answers import Body, Fault, Hits, Introduced
from worldtape.collectors.search.config import HttpConfig, WebConfig
from worldtape.collectors.search.providers.paths import ABSENT, at, filled, hits_at
from worldtape.schemas import Status

_INFRA = {"connect", "dns", "tls"}
"""The service was never reached: our connection, not its answer."""


class HttpProvider:
    """Asks once per query; its JSON is read by the paths of the settings."""

    def __init__(self, config: HttpConfig) -> None:
        self._config = config
        self._web = Web(WebConfig(redirects=0), guarded=False)  # keys are for this service only
        self._headers: Mapping[str, str] = {}
        self._params: Mapping[str, str] = {}

    async def start(self) -> None:
        """Read the secrets.

        Raises:
            ConfigError: one is not set.
        """
        self._headers, self._params = self._config.secrets()

    async def introduce(self, wire: Wire) -> Introduced:
        """Say which service it is."""
        wire.hide({**self._headers, **{f"?{key}": value for key, value in self._params.items()}})
        return Introduced(text=f"Search engine: {urlsplit(self._config.url).hostname}")

    async def search(self, query: str, count: int, wire: Wire, limit_s: float) -> Hits | Fault:
        """Ask the service."""
        config = self._config
        url = filled(config.url, query=quote(query, safe=""), count=count)
        if self._params:
            url += ("&" if urlsplit(url).query else "?") + urlencode(self._params)
        body = None if config.body is None else filled(config.body, query=query, count=count)
        headers = {"accept": "application/json"} | config.headers | dict(self._headers)
        got = await self._web.fetch(config.method, url, headers, body, wire, limit_s)
        if isinstance(got, Fault):
            return _ours(got)
        return self._read(got, count, wire)

    async def close(self) -> None:
        """Close the connections."""
        await self._web.close()

    def _read(self, got: Body, count: int, wire: Wire) -> Hits | Fault:
        config = self._config
        value = parse(got.data)
        told = ABSENT if config.error is None else at(config.error, value)
        message = wire.masked(str(told)) if told is not ABSENT and told is not None else None
        fault = refused(got, urlsplit(got.url).hostname or got.url, message)
        if fault is not None:
            return fault
        if message is not None:
            return Fault(Status.TOOL_ERROR, "service", message)
        found = None if value is GARBAGE else hits_at(config.results, config.fields, value, count)
        if found is None:
            return Fault(Status.ENV_ERROR, "invalid_answer", "the search service sent no list of results")
        return Hits(found)


def _ours(fault: Fault) -> Fault:
    if fault.type not in _INFRA:
        return fault
    return Fault(Status.INFRA_ERROR, fault.type, fault.message)


__all__ = ["HttpProvider"]
