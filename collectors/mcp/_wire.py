"""What passes between us and a server: on the tape first, then to whoever waits for it."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import orjson

from worldtape.collectors.mcp._json import canonical, messages
from worldtape.collectors.mcp.render.result import ERR, IN, OUT, TURN, McpResult
from worldtape.schemas import Observation, Part, SettledBy, Sink

_CHANGED = "notifications/tools/list_changed"
_INLINE_CHARS = 32_768


class Wire:
    """The frames of one connection.

    Attributes:
        sink: where bytes go; those that came before there is one are kept until `attach`.
        result: the fold of the frames, as a projection makes it.
        received: bytes per channel so far.
        stale: whether the server said that its tools have changed since they were listed.
        first_ns: when the first frame of this turn came (monotonic ns).
        last_err: the newest line of stderr; over HTTP what failed below it, until something answers.
    """

    def __init__(self) -> None:
        self.result = McpResult()
        self.received: Counter[str] = Counter()
        self.stale = False
        self.first_ns: int | None = None
        self.last_err = ""
        self._sink: Sink | None = None
        self._early: list[tuple[str, bytes, int]] = []

    def attach(self, sink: Sink) -> None:
        """Let bytes go to `sink` from now on."""
        early, self._early = self._early, []
        self._sink = sink
        for channel, data, mono_ns in early:
            sink(channel, data, mono_ns)

    def detach(self) -> None:
        """The tape takes nothing more: what a server says while it is ended is let go."""
        self._sink = _nowhere

    def begin(self) -> None:
        """A turn begins."""
        self.first_ns = None

    def nothing_sent(self) -> None:
        """In this turn nothing is sent: what was observed before is no answer to it."""
        self._put(TURN, b"{}\n")
        self.result.turn()

    def sent(self, line: bytes, message: dict[str, Any] | None = None) -> None:
        """Take a frame that is about to be sent, with its line feed; `message` where it was read already."""
        self._put(OUT, line)
        self.result.sent(messages(line) if message is None else [message])

    def came(self, line: bytes) -> list[dict[str, Any]]:
        """Take a frame of the server, with its line feed, and return its messages."""
        self._put(IN, line)
        if self.first_ns is None:
            self.first_ns = time.monotonic_ns()
        found = messages(line)
        self.result.came(found)
        self.stale = self.stale or any(message.get("method") == _CHANGED for message in found)
        return found

    def torn(self, rest: bytes) -> None:
        """Take what stands at the end of a connection without a line feed: it is no frame."""
        self._put(IN, rest)

    def said(self, data: bytes) -> None:
        """Take bytes of stderr."""
        self._put(ERR, data)
        line = data.strip().rpartition(b"\n")[2].strip()
        if line:
            self.last_err = line[-500:].decode("utf-8", "replace")

    def note(self, channel: str, fields: dict[str, Any]) -> None:
        """Put facts that are no frame on a channel of their own, as one line of JSON."""
        self._put(channel, orjson.dumps(fields) + b"\n")

    def observe(self, settled_by: SettledBy) -> Observation:
        """Return the answer as it is now."""
        return Observation(
            text=self.result.render(),
            renderer=self.result.rendering,
            received=dict(self.received),
            parts=tuple(part for answer in self.result.answers for part in parts_of(answer)),
            settled_by=settled_by,
        )

    def _put(self, channel: str, data: bytes) -> None:
        now = time.monotonic_ns()
        self.received[channel] += len(data)
        if self._sink is None:
            self._early.append((channel, data, now))
        else:
            self._sink(channel, data, now)


def _nowhere(channel: str, data: bytes, mono_ns: int) -> None:
    """Let go."""


def parts_of(answer: dict[str, Any]) -> list[Part]:
    """Return what an answer holds beside text: structured content, images, audio, resources."""
    result = answer.get("result")
    if not isinstance(result, dict):
        return []
    found = []
    content = result.get("content")
    if isinstance(content, list):
        found = [_part(item) for item in content if isinstance(item, dict) and item.get("type") != "text"]
    if result.get("structuredContent") is not None:
        text = canonical(result["structuredContent"])
        size = None if text is None else len(text.encode())
        kept = None if text is None or len(text) > _INLINE_CHARS else text
        found.append(Part(channel="structured", media_type="application/json", text=kept, bytes=size))
    return found


def _part(item: dict[str, Any]) -> Part:
    inner = item.get("resource") if isinstance(item.get("resource"), dict) else item
    assert isinstance(inner, dict)
    media = inner.get("mimeType")
    data = inner.get("data", inner.get("blob"))
    size = len(data) * 3 // 4 - data[-2:].count("=") if isinstance(data, str) else None
    kind = item.get("type")
    return Part(
        channel=kind if isinstance(kind, str) else "content",
        media_type=media if isinstance(media, str) else "application/octet-stream",
        bytes=size,
    )


__all__ = ["Wire", "parts_of"]
