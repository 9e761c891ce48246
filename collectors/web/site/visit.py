"""One request on its way through a site."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlencode

from worldtape.collectors.web.site.request import Request
from worldtape.collectors.web.site.response import Response
from worldtape.collectors.web.site.session import Session

if TYPE_CHECKING:
    from worldtape.collectors.web.site.app import App

S = TypeVar("S")


class Visit(Generic[S]):
    """What a page's function is given, and its ways to answer.

    Attributes:
        store: everything that the site knows.
        session: of the browser that asks.
    """

    def __init__(self, app: App[S], request: Request, session: Session) -> None:
        self.app = app
        self.store: S = app.store
        self.request = request
        self.session = session
        self.query = request.query
        self.form = request.form

    def page(self, template: str, *, status: int = HTTPStatus.OK, delay_s: float = 0.0, **values: Any) -> Response:
        """Render a page."""
        notices, self.session.notices = self.session.notices, []
        body = self.app.render(template, visit=self, store=self.store, notices=notices, **values)
        return Response(body.encode(), status=status, delay_s=delay_s)

    def go(self, location: str, notice: str | None = None, *, kind: str = "status") -> Response:
        """Send the browser to another page, which shows `notice` once (kind `status` or `alert`)."""
        if notice:
            self.session.notices.append((kind, notice))
        return Response.to(location)

    def missing(self, what: str = "page") -> Response:
        """Answer that there is no such thing."""
        return self.page("missing.html.j2", status=HTTPStatus.NOT_FOUND, what=what)

    def denied(self, why: str) -> Response:
        """Answer that this is not for the visitor."""
        return self.page("denied.html.j2", status=HTTPStatus.FORBIDDEN, why=why)

    def sign_in(self) -> Response:
        """Send the browser to the login form, and back here afterwards."""
        back = self.request.target if self.request.method == "GET" else "/"
        return self.go(f"/login?{urlencode({'next': back})}", "Please sign in to continue.", kind="alert")

    def link(self, **changes: object) -> str:
        """Return this page's address with a changed query; None takes a name out, a change goes back to page 1."""
        query = {name: values for name, values in self.query.items() if name != "page" and any(values)}
        for name, value in changes.items():
            query.pop(name, None)
            if value is not None:
                query[name] = [str(value)]
        return self.request.path + (f"?{urlencode(query, doseq=True)}" if query else "")
