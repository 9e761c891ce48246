"""A site that runs: pages on loopback, a state to look at."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from worldtape.collectors.web.site.app import App
from worldtape.collectors.web.site.request import Request
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.server import Server
from worldtape.schemas import Registry

SITES = Registry(
    "test site",
    {
        "forum": "worldtape.collectors.web.site.forum:make_forum",
        "shop": "worldtape.collectors.web.site.shop:make_shop",
    },
    group="worldtape.sites",
)
"""Name of a site to a function of a seed that gives its `App`."""


class Site:
    """One instance of a test site; what is done on it is forgotten with it.

    Attributes:
        name: `shop` or `forum`.
        seed: decides its content.
        url: of its first page, on loopback; the port differs from instance to instance.
        host: the name it has for browsers that use `proxy`: `http://<host>/` is its first page then, always.
        proxy: of a browser context, so that addresses on pages are the same in every recording; no other host answers.
    """

    def __init__(self, name: str, *, seed: int = 0) -> None:
        self.name = name
        self.seed = seed
        self.app: App[Any] = SITES[name](seed)
        self.host = f"{name}.example"
        self.server = Server(self.answer)

    @property
    def url(self) -> str:
        """Where it is served."""
        return f"http://127.0.0.1:{self.server.port}/"

    @property
    def proxy(self) -> str:
        """The same server, as the proxy of a browser context."""
        return f"http://127.0.0.1:{self.server.port}"

    def answer(self, request: Request) -> Response:
        """Return the response to one request, without a socket; another host cannot be reached (502)."""
        if request.method == "CONNECT" or request.host not in {"", self.host, "127.0.0.1", "localhost"}:
            text = f"{request.host or request.target} cannot be reached from here\n"
            return Response(text.encode(), HTTPStatus.BAD_GATEWAY, "text/plain; charset=utf-8")
        return self.app.answer(request)

    def reset(self) -> None:
        """Forget everything that was done on it; browsers are signed out."""
        self.app = SITES[self.name](self.seed)

    def state(self) -> dict[str, Any]:
        """Return what a verifier can ask for, as JSON types.

        The site's own facts, and `user` (who is signed in at the newest browser) and `visited` (the pages asked for,
        each with `page` and `status`).
        """
        found: dict[str, Any] = self.app.store.state(self.app.newest)
        visited = [{"page": page, "status": status} for page, status in self.app.visited]
        return {"site": self.name, "user": self.app.newest.user, "visited": visited} | found


@asynccontextmanager
async def start_site(name: str, *, seed: int = 0) -> AsyncIterator[Site]:
    """Serve a test site until the block is left.

    Raises:
        NotFoundError: `name` is neither `shop` nor `forum`.
        StorageError: no port of this machine can be had.
    """
    site = Site(name, seed=seed)
    await site.server.start()
    try:
        yield site
    finally:
        await site.server.close()
