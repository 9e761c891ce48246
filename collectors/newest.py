"""The renderer of environments that answer in whole messages: no screen, nothing to fold."""

import json
from typing import Any

import orjson

from worldtape.schemas import Rendering


def message(text: str) -> bytes:
    """Return one answer as `Newest` reads it: a JSON string and a line feed."""
    return json.dumps(text).encode() + b"\n"


def _lenient(line: bytes) -> Any:
    """Read what orjson does not: lone surrogates, NaN; null where it is no JSON."""
    try:
        return json.loads(line)
    except ValueError:
        return None


class Newest:
    """Renderer `text.newest`, version 1: the newest whole message of one channel, "" before the first.

    Each line of the channel is one message as a JSON string; a line that is none is passed over.

    Args:
        channel: whose lines are read.
    """

    def __init__(self, channel: str = "text") -> None:
        self.rendering = Rendering(name="text.newest", version="1", parameters={"channel": channel})
        self._channel = channel
        self._rest = b""
        self._text = ""

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes, split anywhere."""
        if channel != self._channel:
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line)

    def render(self) -> str:
        """Return the newest message."""
        return self._text

    def _take(self, line: bytes) -> None:
        try:
            value: Any = orjson.loads(line)
        except ValueError:
            value = _lenient(line)
        if isinstance(value, str):
            self._text = value


__all__ = ["Newest", "message"]
