"""The least a browser does: cookies, redirects, forms."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode

from worldtape.collectors.web.site import Site
from worldtape.collectors.web.site.request import Request
from worldtape.collectors.web.site.response import Response

FORM = {"content-type": "application/x-www-form-urlencoded"}


class Browser:
    """Talks to a site without a socket, and follows where it is sent."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.cookie = ""
        self.at = ""
        self.response = Response()

    def get(self, target: str) -> int:
        return self._go("GET", target, b"")

    def post(self, target: str, **fields: object) -> int:
        return self._go("POST", target, urlencode(fields).encode())

    @property
    def text(self) -> str:
        """The page without its tags."""
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", self.page)).split())

    @property
    def page(self) -> str:
        return self.response.body.decode()

    @property
    def links(self) -> list[str]:
        return [html.unescape(found) for found in re.findall(r'<a [^>]*?href="([^"]+)"', self.page)]

    def _go(self, method: str, target: str, body: bytes) -> int:
        for _ in range(5):
            headers = {"cookie": self.cookie} if self.cookie else {}
            given = Request.of(method, target, headers | (FORM if body else {}), body)
            self.response = self.site.answer(given)
            self.at = given.target
            if cookie := self.response.headers.get("set-cookie"):
                self.cookie = cookie.partition(";")[0]
            if self.response.status != 303:
                return int(self.response.status)
            method, body, target = "GET", b"", self.response.headers["location"].partition("#")[0]
        raise AssertionError(f"{target} goes round in circles")
