"""What HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/) says of a document, as a check."""

from __future__ import annotations

from base64 import b64decode
from datetime import datetime
from typing import Any

_PAIR = {"name": str, "value": str, "comment?": str}
_NAMED = {"name": str, "version": str, "comment?": str}
_COOKIE = _PAIR | {"path?": str, "domain?": str, "expires?": str, "httpOnly?": bool, "secure?": bool}
_PAGE = {
    "startedDateTime": str,
    "id": str,
    "title": str,
    "pageTimings": {"onContentLoad?": float, "onLoad?": float, "comment?": str},
    "comment?": str,
}
_MESSAGE = {
    "httpVersion": str,
    "cookies": [_COOKIE],
    "headers": [_PAIR],
    "headersSize": int,
    "bodySize": int,
    "comment?": str,
}
_PARAM = {"name": str, "value?": str, "fileName?": str, "contentType?": str, "comment?": str}
_REQUEST = _MESSAGE | {
    "method": str,
    "url": str,
    "queryString": [_PAIR],
    "postData?": {"mimeType": str, "params": [_PARAM], "text": str, "comment?": str},
}
_CONTENT = {"size": int, "compression?": int, "mimeType": str, "text?": str, "encoding?": str, "comment?": str}
_RESPONSE = _MESSAGE | {"status": int, "statusText": str, "content": _CONTENT, "redirectURL": str}
_TIMINGS = {"send": float, "wait": float, "receive": float} | dict.fromkeys(("blocked?", "dns?", "connect?"), float)
_ENTRY = {
    "pageref?": str,
    "startedDateTime": str,
    "time": float,
    "request": _REQUEST,
    "response": _RESPONSE,
    "cache": {},
    "timings": _TIMINGS | {"ssl?": float, "comment?": str},
    "serverIPAddress?": str,
    "connection?": str,
    "comment?": str,
}
_LOG = {"version": str, "creator": _NAMED, "browser?": _NAMED, "pages?": [_PAGE], "entries": [_ENTRY], "comment?": str}


def checked(document: dict[str, Any]) -> dict[str, Any]:
    """Return the log of a document that is as it should be."""
    _check(document, {"log": _LOG}, "")
    log: dict[str, Any] = document["log"]
    assert log["version"] == "1.2"
    names = [page["id"] for page in log["pages"]]
    assert len(set(names)) == len(names)
    for timed in (*log["pages"], *log["entries"]):
        assert datetime.fromisoformat(timed["startedDateTime"]).utcoffset() is not None
    for entry in log["entries"]:
        assert entry.get("pageref") in {*names, None}
        assert entry["time"] == sum(value for value in entry["timings"].values() if value != -1)
        body = body_of(entry)
        assert body is None or entry["response"]["content"]["size"] == len(body)
    return log


def body_of(entry: dict[str, Any]) -> bytes | None:
    """Return the body of an entry's response; None where it has none."""
    content = entry["response"]["content"]
    if "text" not in content:
        return None
    assert content.get("encoding", "base64") == "base64"
    return b64decode(content["text"], validate=True) if "encoding" in content else content["text"].encode()


def _check(value: Any, shape: Any, at: str) -> None:
    if isinstance(shape, dict):
        assert isinstance(value, dict), at
        known = {key.removesuffix("?") for key in shape}
        assert {key for key in value if not key.startswith("_")} <= known, at
        for key, inner in shape.items():
            if not key.endswith("?") or key[:-1] in value:
                _check(value[key.removesuffix("?")], inner, f"{at}/{key}")
    elif isinstance(shape, list):
        assert isinstance(value, list), at
        for number, item in enumerate(value):
            _check(item, shape[0], f"{at}/{number}")
    else:
        assert isinstance(value, (int, float) if shape is float else shape), at
        assert shape is bool or not isinstance(value, bool), at
