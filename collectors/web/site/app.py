"""A site without its socket: routes, sessions, templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from worldtape.collectors.web.site.clock import Clock, day, minute
from worldtape.collectors.web.site.request import Request
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.session import Session
from worldtape.collectors.web.site.visit import Visit

if TYPE_CHECKING:
    from jinja2 import Environment

S = TypeVar("S")
Handler = Callable[..., Response]
Routes = Sequence[tuple[str, str, Handler]]
"""Method, path with `<name>` for a part, and the function that gets a `Visit` and those parts."""

_PART = re.compile(r"<(\w+)>")
_COOKIE = "session"
_KEPT_PAGES = 200
_STATIC = {
    "/favicon.svg": ("favicon.svg.j2", "image/svg+xml"),
    "/site.css": ("site.css.j2", "text/css; charset=utf-8"),
    "/site.js": ("site.js.j2", "text/javascript; charset=utf-8"),
}


@dataclass(frozen=True, slots=True)
class Route:
    """One kind of page."""

    method: str
    pattern: re.Pattern[str]
    handler: Handler


class App(Generic[S]):
    """Answers requests from what a store holds.

    Args:
        store: the site's own state.
        clock: the site's time.
        routes: see `Routes`.
        templates: the folder of its own templates; those that sites share are found as well.

    Attributes:
        visited: the pages asked for, with their status, newest last; not more than some hundred.
    """

    def __init__(self, store: S, clock: Clock, routes: Routes, templates: Path) -> None:
        self.store = store
        self.clock = clock
        self.sessions: dict[str, Session] = {}
        self.visited: list[tuple[str, int]] = []
        self.newest = Session("")
        self._routes = _compiled(tuple(routes))
        self._jinja = environment(templates)

    def answer(self, request: Request) -> Response:
        """Return the response to one request; a HEAD is answered like a GET."""
        if request.path in _STATIC:
            name, media_type = _STATIC[request.path]
            headers = {"cache-control": "max-age=86400"}
            return Response(_static(self._jinja, name), media_type=media_type, headers=headers)
        session = self._session(request)
        visit = Visit(self, request, session)
        if request.method == "POST":
            self.clock.tick()
        response = self._page(visit)
        self.newest = session
        if response.media_type.startswith("text/html"):
            self.visited = [*self.visited[-_KEPT_PAGES:], (f"{request.method} {request.target}", int(response.status))]
        if _COOKIE not in request.cookies or request.cookies[_COOKIE] != session.key:
            response.headers["set-cookie"] = f"{_COOKIE}={session.key}; Path=/; HttpOnly; SameSite=Lax"
        return response

    def render(self, template: str, **values: Any) -> str:
        """Return a rendered template."""
        return self._jinja.get_template(template).render(**values)

    def _page(self, visit: Visit[S]) -> Response:
        method = "GET" if visit.request.method == "HEAD" else visit.request.method
        found = [(route, match) for route in self._routes if (match := route.pattern.fullmatch(visit.request.path))]
        for route, match in found:
            if route.method == method:
                return route.handler(visit, **match.groupdict())
        if not found:
            return visit.missing()
        allowed = ", ".join(sorted({route.method for route, _ in found}))
        response = visit.page("wrong_method.html.j2", status=HTTPStatus.METHOD_NOT_ALLOWED)
        response.headers["allow"] = allowed
        return response

    def _session(self, request: Request) -> Session:
        """Return the browser's session, or a new one; keys count, so that they are the same every time."""
        found = self.sessions.get(request.cookies.get(_COOKIE, ""))
        if found is None:
            key = f"s{len(self.sessions) + 1:04d}"
            found = self.sessions[key] = Session(key)
        return found


@lru_cache
def _compiled(routes: tuple[tuple[str, str, Handler], ...]) -> tuple[Route, ...]:
    return tuple(
        Route(method, re.compile(_PART.sub(r"(?P<\1>[^/]+)", re.escape(path))), handler)
        for method, path, handler in routes
    )


@lru_cache
def environment(templates: Path) -> Environment:
    """Return the templates of a site, compiled once a process."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    shared = Path(__file__).parent / "shared"
    jinja = Environment(
        loader=FileSystemLoader([templates, shared]),
        autoescape=select_autoescape(disabled_extensions=["txt.j2"], default=True),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    jinja.filters |= {"day": day, "minute": minute, "price": price}
    jinja.globals["zip"] = zip
    return jinja


def price(cents: int) -> str:
    """Return an amount as pages show it: `€1,249.90`."""
    return f"{'−' if cents < 0 else ''}€{abs(cents) / 100:,.2f}"


@lru_cache
def _static(jinja: Environment, name: str) -> bytes:
    return jinja.get_template(name).render().encode()
