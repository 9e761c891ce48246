"""The parts of a HAR 1.2 document, with the members that Playwright gives them; what the tape does not tell is -1."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from worldtape.pipelines.exporting._network import Exchange
from worldtape.pipelines.exporting._times import iso

_UNKNOWN = "unknown"
_NO_TYPE = "x-unknown"
_FORM = "application/x-www-form-urlencoded"
_NO_RESPONSE = -1
_REDIRECTS = range(300, 400)


def page(name: str, title: str, started_us: int) -> dict[str, Any]:
    """Return a member of `pages`."""
    timings = {"onContentLoad": -1, "onLoad": -1}
    return {"startedDateTime": iso(started_us), "id": name, "title": title, "pageTimings": timings}


def entry(exchange: Exchange, body: bytes | None) -> dict[str, Any]:
    """Return a member of `entries`, without its page.

    Args:
        exchange: request and response.
        body: of the response; null: it is not known.
    """
    line = exchange.line
    return {
        "startedDateTime": iso(exchange.ended_us),
        "time": 0,
        "request": _request(line),
        "response": _response(line, body),
        "cache": {},
        "timings": {"send": -1, "wait": -1, "receive": -1},
        "_resourceType": line["type"],
    }


def _request(line: Mapping[str, Any]) -> dict[str, Any]:
    headers, posted = line.get("request") or {}, line.get("posted")
    told = {
        "method": line["method"],
        "url": line["url"],
        "httpVersion": _UNKNOWN,
        "cookies": [],
        "headers": _pairs(headers),
        "queryString": _values(_query(line["url"])),
        "headersSize": -1,
        "bodySize": -1,
    }
    if posted is None:
        return told | {"bodySize": 0}
    mime = headers.get("content-type", "")
    params = _values(posted) if mime.partition(";")[0].strip().lower() == _FORM else []
    return told | {"postData": {"mimeType": mime, "params": params, "text": posted}}


def _response(line: Mapping[str, Any], body: bytes | None) -> dict[str, Any]:
    headers, status = line.get("headers") or {}, line.get("status", _NO_RESPONSE)
    location = headers.get("location") if status in _REDIRECTS else None
    told = {
        "status": status,
        "statusText": "",
        "httpVersion": _UNKNOWN,
        "cookies": [],
        "headers": _pairs(headers),
        "content": _content(line, headers.get("content-type") or _NO_TYPE, body),
        "redirectURL": _target(line["url"], location) if location else "",
        "headersSize": -1,
        "bodySize": -1,
    }
    if status == _NO_RESPONSE:
        told["_failureText"] = line.get("failure") or line.get("why") or _UNKNOWN
    return told


def _content(line: Mapping[str, Any], mime: str, body: bytes | None) -> dict[str, Any]:
    if body is None:
        kept = line.get("body") is not None
        why = "not on the tape" if kept else line.get("why")
        return {"size": line.get("bytes", -1), "mimeType": mime} | ({"comment": why} if why else {})
    told: dict[str, Any] = {"size": len(body), "mimeType": mime}
    try:
        return told | {"text": body.decode()}
    except UnicodeDecodeError:
        return told | {"text": b64encode(body).decode(), "encoding": "base64"}


def _pairs(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]


def _values(text: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in parse_qsl(text, keep_blank_values=True)]


def _target(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return location


def _query(url: str) -> str:
    try:
        return urlsplit(url).query
    except ValueError:  # browsers ask for more than that reads, such as http://[
        return ""
