"""What a page is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, unquote, urlsplit

_WHOLE = re.compile(r"-?[0-9]{1,9}")


def whole(text: str) -> int | None:
    """Return the whole number that a text of a browser is; None where it is none, or one that nobody counts to."""
    return int(text) if _WHOLE.fullmatch(text) else None


class Values(dict[str, list[str]]):
    """The values of a query or a form; every name can stand there more than once."""

    def one(self, name: str, default: str = "") -> str:
        """Return the last value of `name` without the blanks around it."""
        return self[name][-1].strip() if self.get(name) else default

    def whole(self, name: str, default: int) -> int:
        """Return the value of `name` as a whole number; `default` where it is none."""
        number = whole(self.one(name))
        return default if number is None else number


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a browser."""

    method: str
    path: str
    query: Values = field(default_factory=Values)
    form: Values = field(default_factory=Values)
    cookies: Mapping[str, str] = field(default_factory=dict)
    target: str = "/"
    """Path and query as they were sent."""
    host: str = ""
    """Of a whole URL, without its port; empty where only a path was sent."""

    @classmethod
    def of(cls, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Request:
        """Read a request.

        Args:
            method: upper case.
            target: a path with its query, or a whole URL as proxies are sent it.
            headers: names in lower case.
            body: only URL-encoded forms are read.

        Raises:
            ValueError: the target is no address.
        """
        parts = urlsplit(target)
        given = headers or {}
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(given.get("cookie", ""))
        except CookieError:
            cookies.clear()
        is_form = given.get("content-type", "").startswith("application/x-www-form-urlencoded")
        return cls(
            method=method,
            path=unquote(parts.path) or "/",
            query=_values(parts.query),
            form=_values(body.decode("utf-8", "replace")) if is_form else Values(),
            cookies={name: morsel.value for name, morsel in cookies.items()},
            target=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
            host=parts.hostname or "",
        )


def _values(text: str) -> Values:
    return Values(parse_qs(text, keep_blank_values=True))
