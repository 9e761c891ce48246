"""Rendering exactly the bytes that stood on the tape when an observation was taken."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from worldtape.collectors.renderers import make_renderer
from worldtape.schemas import EventKind, Renderer, Rendering, canonical_json
from worldtape.storage import Event, TapeReader

PENDING_BYTES = 16 << 20
"""Bytes held until an observation claims them; beyond, the tape is read ahead for the places of observations."""

Captured = Mapping[str, Any]


class Prefix:
    """Folds the bytes of one tape into its renderers, in one pass and constant memory.

    A `captured` event says how many bytes of each channel its observation was made of. It may stand anywhere on the
    tape, so bytes wait until an observation claims them.
    """

    def __init__(self, reader: TapeReader) -> None:
        self._reader = reader
        self._renderers: dict[str, Renderer] = {}
        self._pending: deque[tuple[str, bytes]] = deque()
        self._held = 0
        self._fed: dict[str, int] = {}
        self._ahead: deque[Captured] | None = None
        self._early: deque[str] = deque()
        """Texts of observations whose bytes stood on the tape long before they did."""

    def data(self, event: Event) -> None:
        """Take a `data` event."""
        if self._ahead is not None and not self._ahead:
            return  # no observation follows, so nobody will ever claim it
        payload = self._reader.payload(event)
        self._pending.append((event.data["channel"], payload))
        self._held += len(payload)
        if self._held <= PENDING_BYTES:
            return
        if self._ahead is None:
            self._ahead = deque(_captured(self._reader, after=event.seq))
        while self._ahead and self._held > PENDING_BYTES:
            renderer = self._claim(self._ahead[0])
            if self._held <= PENDING_BYTES or not self._fed_to(self._ahead[0]):
                return
            self._early.append(renderer.render())
            self._ahead.popleft()
        if not self._ahead:
            self._pending.clear()
            self._held = 0

    def render(self, captured: Captured) -> str:
        """Return the text of an observation.

        Raises:
            NotFoundError: no such renderer is installed.
            VersionError: the installed one is of another version.
        """
        if self._early:
            return self._early.popleft()
        if self._ahead:
            self._ahead.popleft()
        return self._claim(captured).render()

    def _fed_to(self, captured: Captured) -> bool:
        """Tell whether all that an observation was made of has been rendered."""
        return all(self._fed.get(channel, 0) >= count for channel, count in _received(captured).items())

    def _claim(self, captured: Captured) -> Renderer:
        received = _received(captured)
        if any(received.get(channel, 0) < count for channel, count in self._fed.items()):
            return self._again(captured, received)
        key = canonical_json(captured["renderer"])
        if key not in self._renderers:
            self._renderers[key] = self._again(captured, self._fed) if self._fed else _made(captured)
        self._feed(received)
        return self._renderers[key]

    def _feed(self, limit: Mapping[str, int]) -> None:
        kept: list[tuple[str, bytes]] = []
        for channel, data in self._pending:
            fed = self._fed.get(channel, 0)
            room = max(limit.get(channel, 0) - fed, 0)
            now = data[:room] if room < len(data) else data
            if now:
                for renderer in self._renderers.values():
                    renderer.feed(channel, now)
                self._fed[channel] = fed + len(now)
                self._held -= len(now)
            if room < len(data):
                kept.append((channel, data[room:]))
        self._pending = deque(kept)

    def _again(self, captured: Captured, limit: Mapping[str, int]) -> Renderer:
        """Read the tape from its start: an observation older than the last one, or made by another renderer."""
        renderer = _made(captured)
        room = {channel: count for channel, count in limit.items() if count}
        for event in self._reader.events(lenient=True):
            if not room:
                break
            if event.kind == EventKind.DATA and (channel := event.data["channel"]) in room:
                data = self._reader.payload(event)[: room[channel]]
                renderer.feed(channel, data)
                room[channel] -= len(data)
                if not room[channel]:
                    del room[channel]
        return renderer


def _received(captured: Captured) -> dict[str, int]:
    return captured.get("received") or {}


def _made(captured: Captured) -> Renderer:
    return make_renderer(Rendering.model_validate(captured["renderer"]))


def _captured(reader: TapeReader, *, after: int) -> list[Captured]:
    later = (event for event in reader.events(lenient=True) if event.seq > after)
    return [
        {"renderer": event.data["renderer"], "received": _received(event.data)}
        for event in later
        if event.kind == EventKind.CAPTURED
    ]
