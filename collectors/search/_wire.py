"""What passes between an agent, us and an engine: on the tape first."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from worldtape.collectors.search.answers import Body
from worldtape.collectors.search.config import MASK
from worldtape.collectors.search.render.results import ANSWER, SearchResults
from worldtape.schemas import Observation, Part, SettledBy, Sink, canonical_json

REQUEST, RESPONSE, BODY = "search.request", "search.response", "search.body"


class Wire:
    """The channels of one session; itself a `Sink`, for engines that bring frames of their own.

    Args:
        page_chars: of the renderer.

    Attributes:
        first_ns: when the first bytes of this turn came (monotonic ns).
        received: bytes per channel so far.
    """

    def __init__(self, page_chars: int) -> None:
        self.screen = SearchResults(page_chars=page_chars)
        self.received: Counter[str] = Counter()
        self.first_ns: int | None = None
        self._sink: Sink | None = None
        self._parts: list[Part] = []
        self._secrets: list[tuple[str, bytes]] = []

    def attach(self, sink: Sink) -> None:
        """Begin a turn whose bytes go to `sink`."""
        self._sink = sink
        self._parts = []
        self.first_ns = None

    def hide(self, secrets: Mapping[str, str]) -> None:
        """Let these values, plain or percent-encoded, stand on no channel."""
        found = {form for value in secrets.values() if value for form in (value, quote(value, ""), quote_plus(value))}
        self._secrets = [(text, text.encode()) for text in sorted(found, key=len, reverse=True)]

    def masked(self, text: str) -> str:
        """Return `text` without secrets."""
        for secret, _ in self._secrets:
            text = text.replace(secret, MASK)
        return text

    def __call__(self, channel: str, data: bytes, mono_ns: int) -> None:
        """Record bytes that came from elsewhere."""
        assert self._sink is not None
        for _, secret in self._secrets:
            data = data.replace(secret, MASK.encode())
        self.received[channel] += len(data)
        self._sink(channel, data, mono_ns)

    def asks(self, request: Mapping[str, Any]) -> None:
        """Record a request as it is about to be sent."""
        self(REQUEST, canonical_json(request).encode() + b"\n", time.monotonic_ns())

    def came(self, body: Body) -> None:
        """Record a body as it came, and what was said about it."""
        now = time.monotonic_ns()
        self.first_ns = self.first_ns or now
        self(BODY, body.data, now)
        head = body.head | {"url": body.url, "media_type": body.media_type, "bytes": len(body.data), "cut": body.cut}
        self(RESPONSE, canonical_json(head).encode() + b"\n", now)
        self._parts.append(
            Part(channel=BODY, media_type=body.media_type or "application/octet-stream", bytes=len(body.data))
        )

    def answer(self, value: Mapping[str, Any]) -> None:
        """Record the answer to the call, which the observation is rendered from."""
        line = canonical_json(value).encode() + b"\n"
        for _, secret in self._secrets:
            line = line.replace(secret, MASK.encode())
        self(ANSWER, line, time.monotonic_ns())
        self.screen.feed(ANSWER, line)

    def observe(self, settled_by: SettledBy) -> Observation:
        """Return what the newest answer looks like."""
        return Observation(
            text=self.screen.render(),
            renderer=self.screen.rendering,
            received=dict(self.received),
            parts=tuple(self._parts),
            settled_by=settled_by,
        )


__all__ = ["BODY", "REQUEST", "RESPONSE", "Wire"]
