"""Terminal recordings of asciinema, version 2."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, ClassVar

import orjson

from worldtape.collectors.importers import _cast
from worldtape.collectors.importers._cast_ours import FACTS, labelled
from worldtape.errors import NotFoundError
from worldtape.pipelines.exporting import _ours
from worldtape.pipelines.importing._encode import ascii_json
from worldtape.schemas import Domain, Episode, EventKind, canonical_json

_SCREEN = "terminal.screen"
_CODES = {"pty": "o", "pty.in": "i"}
_SIZES = "pty.size"


class Asciicast:
    """The bytes of the terminal with their times, a marker where each action begins, and what else is known of it."""

    name: ClassVar[str] = "asciicast"
    title: ClassVar[str] = "asciinema recordings"
    version: ClassVar[str] = "2"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.TERMINAL,)
    suffix: ClassVar[str] = ".cast"
    lines: ClassVar[bool] = False
    loses: ClassVar[tuple[str, ...]] = ("parts", "extra")

    def unfit(self, episode: Episode) -> str | None:
        """Leave out what was not rendered from a terminal's bytes."""
        row = episode.trajectory
        if not episode.transitions:
            return "no transition"
        if row["tape"] is None:
            return "no tape"
        screens = {(each["renderer"], each["renderer_params"]) for each in episode.transitions} - {(None, None)}
        if {row["initial_renderer"], *(name for name, _ in screens)} - {None, _SCREEN}:
            return "its observations are no screens of a terminal"
        return None if len(screens) == 1 else "its screens have no one size to begin with"

    def write(self, episode: Episode, out: BinaryIO) -> None:
        """Write the head, then the events up to the last observation."""
        tape = episode.tape()
        if tape is None:
            raise NotFoundError("its tape is gone", where=episode.trajectory["tape"])
        head = _head(episode)
        out.write(ascii_json(head) + b"\n")
        events = _Events(out, episode.trajectory["started_at"], head)
        claims = (event.data.get("received") or {} for event in tape.events() if event.kind == EventKind.CAPTURED)
        writing = _Writing(episode, events, claims)
        for event in tape.events():
            if event.kind == EventKind.DATA:
                writing.data(event.mono_ns, event.data["channel"], tape.payload(event))
            elif event.kind == EventKind.CAPTURED:
                writing.captured()
            elif event.kind == EventKind.ACTION:
                writing.action(event.mono_ns, event.step)
            elif event.kind == EventKind.RESULT:
                writing.over(event.mono_ns)
        writing.over(0)


def _head(episode: Episode) -> dict[str, Any]:
    row = episode.trajectory
    size = next(orjson.loads(each["renderer_params"]) for each in episode.transitions if each["renderer_params"])
    head: dict[str, Any] = {"version": 2, "width": size["cols"], "height": size["rows"]}
    if row["started_at"] is not None:
        head["timestamp"] = row["started_at"] // 1_000_000
    if row["task_id"]:
        head["title"] = row["task_id"]
    parameters = (_ours.column(row, "environment") or {}).get("parameters") or {}
    if isinstance(parameters.get("term"), str):
        head["env"] = {"TERM": parameters["term"]}
    return head | {"worldtape": _ours.head(row)}


class _Events:
    """Lines of the file; their times never decrease.

    Args:
        out: takes them.
        started_at: microseconds since 1970 UTC; the head tells it in whole seconds.
        head: of the file.
    """

    def __init__(self, out: BinaryIO, started_at: int | None, head: Mapping[str, Any]) -> None:
        self._out = out
        self._offset = (started_at or 0) % 1_000_000
        self._now = self._offset
        self._size = (head["width"], head["height"])
        self._sizes = b""
        self._decoders = {channel: getincrementaldecoder("utf-8")("replace") for channel in _CODES}

    def put(self, mono_ns: int, code: str, text: str) -> None:
        """Write an event."""
        self._now = max(self._now, self._offset + mono_ns // 1000)
        self._out.write(ascii_json([self._now / 1_000_000, code, text]) + b"\n")

    def data(self, mono_ns: int, channel: str, data: bytes) -> None:
        """Write bytes of the terminal; a character that is cut waits for its rest."""
        if channel != _SIZES:
            text = self._decoders[channel].decode(data)
            if text:
                self.put(mono_ns, _CODES[channel], text)
            return
        *lines, self._sizes = (self._sizes + data).split(b"\n")
        for size in filter(None, map(_size, lines)):
            if size != self._size:
                self._size = size
                self.put(mono_ns, "r", f"{size[0]}x{size[1]}")


def _size(line: bytes) -> tuple[int, int] | None:
    """Return columns and rows; null for a line that no screen would follow."""
    try:
        value = orjson.loads(line)
        return _cast.sane(value["cols"], value["rows"])
    except (ValueError, KeyError, TypeError):
        return None


class _Writing:
    """Puts bytes behind the marker of the action whose observation they are in.

    What came between an observation and the next action is not in the observation: it is written behind the next
    marker, at the marker's time.
    """

    def __init__(self, episode: Episode, events: _Events, claims: Iterable[Mapping[str, int]]) -> None:
        self._rows = {row["step"]: row for row in episode.transitions}
        self._events = events
        self._claims = deque(claims)
        """Bytes of each channel that the coming observations were made of."""
        self._waiting: list[tuple[int, str, bytes]] = []
        self._written: Counter[str] = Counter()
        self._step: int | None = None
        self._observed = False

    def data(self, mono_ns: int, channel: str, data: bytes) -> None:
        """Take bytes; those of the coming observation are written at once."""
        if channel not in _CODES and channel != _SIZES:
            return
        count = 0 if self._observed else self._claimed(channel, len(data))
        self._write(mono_ns, channel, data[:count])
        if count < len(data):
            self._waiting.append((mono_ns, channel, data[count:]))

    def captured(self) -> None:
        """Take an observation: what comes until the next action is not in it."""
        self._claims.popleft()
        self._observed = True

    def action(self, mono_ns: int, step: int | None) -> None:
        """Write a marker."""
        self.over(mono_ns)
        self._step, self._observed = step, False
        self._events.put(mono_ns, "m", self._rows[step]["action_text"])
        waiting, self._waiting = self._waiting, []
        for item in waiting:
            self.data(*item)

    def over(self, mono_ns: int) -> None:
        """Write what is known of the action under way, once; without an observation all its bytes are its own."""
        if not self._observed:
            for item in self._waiting:
                self._write(*item)
            self._waiting.clear()
        if self._step is None:
            return
        row = self._rows[self._step]
        content = row["observation_text"]
        known = _ours.beside(row, labelled(row["action_text"]), content)
        facts = {name: value for name, value in known.items() if not name.startswith("renderer")}
        if content is None:
            facts["observation_text"] = None
        self._events.put(mono_ns, FACTS, canonical_json(facts))
        self._step = None

    def _claimed(self, channel: str, count: int) -> int:
        """Return how many of the next bytes of a channel are in the coming observation; all where none comes."""
        if not self._claims:
            return count
        return min(count, max(0, self._claims[0].get(channel, 0) - self._written[channel]))

    def _write(self, mono_ns: int, channel: str, data: bytes) -> None:
        if data:
            self._written[channel] += len(data)
            self._events.data(mono_ns, channel, data)
