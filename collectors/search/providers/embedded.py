"""The engine that Worldtape brings."""

from __future__ import annotations

import asyncio
import sqlite3
from urllib.parse import urldefrag, urlsplit

from worldtape.collectors.search._wire import Wire
from worldtape.collectors.search.answers import Body, Fault, Hits, Introduced, Page
from worldtape.collectors.search.config import EmbeddedConfig
from worldtape.collectors.search.providers.documents import content
from worldtape.collectors.search.providers.index import Index, open_index
from worldtape.errors import ComponentError
from worldtape.schemas import Status, canonical_json

_MOST_HOSTS = 20


class EmbeddedProvider:
    """BM25 over folders; pages are the documents themselves, and every other address is nobody's."""

    def __init__(self, config: EmbeddedConfig) -> None:
        self._config = config
        self._found: Index | None = None

    async def start(self) -> None:
        """Make or open the index.

        Raises:
            NotFoundError: a folder is not there, or empty.
            ComponentError: this SQLite cannot search.
        """
        self._found = await asyncio.to_thread(open_index, self._config)

    async def introduce(self, wire: Wire) -> Introduced:  # noqa: ARG002
        """Say how many documents there are, and of which hosts."""
        hosts = self._index.hosts()
        named = ", ".join(hosts[:_MOST_HOSTS]) + (", ..." if len(hosts) > _MOST_HOSTS else "")
        return Introduced(
            text=f"Search engine: {self._index.size} pages of {named}",
            versions={"sqlite": sqlite3.sqlite_version},
            probes={"documents": self._index.size, "index": self._index.digest[:16]},
        )

    async def search(self, query: str, count: int, wire: Wire, limit_s: float) -> Hits | Fault:
        """Ask the index; the rows it gave stand on the tape as JSON."""
        try:
            async with asyncio.timeout(limit_s):
                hits = await asyncio.to_thread(self._index.find, query, count)
        except TimeoutError:
            return Fault(Status.TIMEOUT_KILLED, "timeout", f"no answer within {limit_s:g} s")
        except sqlite3.Error as error:
            return Fault(Status.ENV_ERROR, "engine", str(error))
        rows = canonical_json([hit.fields() for hit in hits]).encode() + b"\n"
        wire.came(Body(url="index:", media_type="application/json", data=rows))
        return Hits(tuple(hits))

    async def page(self, url: str, goal: str | None, wire: Wire, limit_s: float) -> Body | Page | Fault:  # noqa: ARG002
        """Return a document as its file stands."""
        plain = urldefrag(url).url
        host = _host(plain)
        if host is None:
            return Fault(Status.TOOL_ERROR, "invalid_url", f"invalid URL '{url}': http and https can be opened")
        source = self._index.source(plain)
        data = None if source is None else await asyncio.to_thread(content, source.path, self._config.file_mb << 20)
        if source is None or data is None:
            if host in self._index.hosts():
                return Fault(Status.TOOL_ERROR, "http", f"404 Not Found for {url}", code=404)
            return Fault(Status.ENV_ERROR, "dns", f"could not resolve host: {host}")
        body = Body(url=plain, media_type=source.media_type, data=data)
        wire.came(body)
        return body

    async def close(self) -> None:
        """Let go of the index."""
        found, self._found = self._found, None
        if found is not None:
            found.close()

    @property
    def _index(self) -> Index:
        if self._found is None:
            raise ComponentError("the engine was not started", fix="use the environment with `async with`")
        return self._found


def _host(url: str) -> str | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in ("http", "https") else None


__all__ = ["EmbeddedProvider"]
