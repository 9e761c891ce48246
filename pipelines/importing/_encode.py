"""Schema objects as the ASCII JSON of a tape, quickly."""

from __future__ import annotations

import re
from collections.abc import Iterable
from json.encoder import encode_basestring_ascii
from typing import Any

import orjson
from pydantic_core import PydanticSerializationError

from worldtape.schemas import Model, canonical_json

_WIDE = re.compile("[^\x00-\x7f]+")


def ascii_json(value: Any) -> bytes:
    """Return any JSON value; lone surrogates become U+FFFD, NaN becomes null."""
    try:
        line = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, orjson.JSONEncodeError):
        line = canonical_json(value).encode()
    return escaped(line)


def model_json(model: Model) -> bytes:
    """Return a model as it stands on a tape."""
    try:
        line: bytes = model.__pydantic_serializer__.to_json(model)
    except (PydanticSerializationError, UnicodeEncodeError):
        return ascii_json(model.to_dict())
    return escaped(line)


class Repeated:
    """Models that come again and again: the JSON of the last one of each kind is kept."""

    def __init__(self) -> None:
        self._last: dict[type[Model], tuple[Model, bytes]] = {}

    def json(self, model: Model) -> bytes:
        """Return what `model_json` does."""
        kept = self._last.get(type(model))
        if kept is None or kept[0] is not model:
            kept = self._last[type(model)] = model, model_json(model)
        return kept[1]


def escaped(line: bytes) -> bytes:
    """Return JSON with everything that is no ASCII escaped; it stands inside strings only."""
    return line if line.isascii() else _WIDE.sub(_escape, line.decode()).encode()


def _escape(match: re.Match[str]) -> str:
    return encode_basestring_ascii(match[0])[1:-1]


def with_members(line: bytes, members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return the JSON object `line` with further members at its end."""
    more = b",".join(b'"%b":%b' % (name.encode(), value) for name, value in members)
    return line[:-1] + b"," + more + b"}" if more else line


def clean(text: str) -> str:
    """Return text that is valid UTF-8: lone surrogates become U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
