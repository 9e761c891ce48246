"""The answer to the newest call, as the server gave it."""

from __future__ import annotations

import hashlib
from typing import Any

from worldtape.collectors.mcp._json import Lines, canonical, clean, id_key, messages
from worldtape.schemas import Rendering

ACTIONS = frozenset({"tools/call", "resources/read", "prompts/get"})
"""Requests that ask the server's world for something; the others arrange the connection."""
OUT, IN, ERR, TURN = "mcp.out", "mcp.in", "mcp.err", "mcp.turn"
"""Channels: frames we sent, frames received, stderr, and turns in which nothing was sent."""


TOO_DEEP = "[nested too deep]"


class McpResult:
    """Renderer `mcp.result`, version 1: the answer that came last to an open call; "" since a call was sent.

    Reads the channels `mcp.out` and `mcp.in` (one frame a line) and `mcp.turn`. Answers are paired by id: a second
    answer to a call, one to a call that was given up (`notifications/cancelled`), and any answer to an id that two open
    calls share are nobody's. Notifications, requests of the server and lines that are no JSON never are an answer.
    Answers that come as one JSON-RPC batch are one observation, joined by line feeds.

    Attributes:
        answers: the messages behind the text, in the order in which they came.
    """

    def __init__(self) -> None:
        self.rendering = Rendering(name="mcp.result", version="1")
        self.answers: list[dict[str, Any]] = []
        self._open: dict[str, bool] = {}
        """Ids of open calls, and whether an answer to them can be told apart."""
        self._lines = {OUT: Lines(), IN: Lines()}

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes, split anywhere."""
        if channel == TURN:
            self.turn()
            return
        lines = self._lines.get(channel)
        if lines is None:
            return
        take = self.sent if channel == OUT else self.came
        for line in lines.feed(data):
            take(messages(line))

    def render(self) -> str:
        """Return the text of the answer."""
        return "\n".join(map(answer_text, self.answers))

    def turn(self) -> None:
        """A turn in which nothing was sent."""
        self.answers = []

    def sent(self, frame: list[dict[str, Any]]) -> None:
        """Take the messages of a frame of ours."""
        for message in frame:
            method = message.get("method")
            if method in ACTIONS and (key := id_key(message.get("id"))) is not None:
                self._open[key] = key not in self._open
                self.answers = []
            elif method == "notifications/cancelled":
                self._open.pop(cancelled(message) or "", None)

    def came(self, frame: list[dict[str, Any]]) -> None:
        """Take the messages of a frame of the server."""
        found = [message for message in frame if self._answers(message)]
        if found:
            self.answers = found

    def _answers(self, message: dict[str, Any]) -> bool:
        key = answered(message)
        if key is None or not self._open.get(key, False):
            return False
        del self._open[key]
        return True


def answered(message: dict[str, Any]) -> str | None:
    """Return the id that a message answers; None where it is no answer."""
    return None if "method" in message else id_key(message.get("id"))


def cancelled(message: dict[str, Any]) -> str | None:
    """Return the id of the request that a `notifications/cancelled` gives up."""
    params = message.get("params")
    return id_key(params.get("requestId")) if isinstance(params, dict) else None


def answer_text(message: dict[str, Any]) -> str:
    """Return the text of an answer, never wrapped.

    A result's text parts stand as they are, joined by line feeds; parts of other kinds stand as canonical JSON, their
    base64 payloads as `sha256:…` of the base64 text. A result without content is its `structuredContent`; any other
    result, and the error of a JSON-RPC error, is canonical JSON; "" where there is neither, and `TOO_DEEP` where it is
    nested deeper than can be written.
    """
    if message.get("error") is not None:
        return _whole(message["error"])
    result = message.get("result")
    content = result.get("content") if isinstance(result, dict) else None
    if not isinstance(result, dict) or not isinstance(content, list):
        return _whole(result) if "result" in message else ""
    if not content and result.get("structuredContent") is not None:
        return _whole(result["structuredContent"])
    return "\n".join(_part(part) for part in content)


def _part(part: Any) -> str:
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
        return clean(part["text"])
    return _whole(part)


def _whole(value: Any) -> str:
    try:
        return canonical(_bare(value)) or TOO_DEEP
    except RecursionError:
        return TOO_DEEP


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _digest(item) if key in ("data", "blob") else _bare(item) for key, item in value.items()}
    return [_bare(item) for item in value] if isinstance(value, list) else value


def _digest(value: Any) -> Any:
    if not isinstance(value, str):
        return _bare(value)
    return f"sha256:{hashlib.sha256(value.encode('utf-8', 'replace')).hexdigest()}"


__all__ = ["ACTIONS", "ERR", "IN", "OUT", "TOO_DEEP", "TURN", "McpResult", "answer_text", "answered", "cancelled"]
