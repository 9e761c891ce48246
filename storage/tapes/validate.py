"""Whether a tape keeps what the format promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from worldtape.errors import FormatError
from worldtape.schemas import EventKind
from worldtape.storage.tapes.event import Event
from worldtape.storage.tapes.paths import trajectory_id_of
from worldtape.storage.tapes.reader import Source, TapeReader


@dataclass(slots=True)
class Validation:
    """What one tape holds, and where it breaks a promise."""

    events: int = 0
    steps: int = 0
    ended: bool = False
    torn_bytes: int = 0
    unknown: tuple[int, ...] = ()
    """Steps whose action has no result."""
    received: dict[str, int] = field(default_factory=dict)
    """Bytes per channel on the whole tape."""
    problems: list[str] = field(default_factory=list)


def validate(path: str | Path, *, blobs: Source | None = None) -> Validation:
    """Go through a tape once, in constant memory; `problems` is empty where it is sound.

    An interrupted tape is sound: a torn tail and one action without a result are facts, not problems.

    Raises:
        NotFoundError: there is no such tape.
    """
    found = Validation()
    try:
        reader = TapeReader(path, blobs=blobs)
        _Check(reader, found).run()
        found.torn_bytes = reader.torn_bytes
    except FormatError as error:
        found.problems.append(str(error))
    return found


class _Check:
    """The rules, applied one event after the other."""

    def __init__(self, reader: TapeReader, found: Validation) -> None:
        self._reader = reader
        self._found = found
        self._wall: int | None = None
        self._mono = 0
        self._received: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()
        self._counts: dict[str, int] = {}
        self._open: dict[int, bool] = {}
        self._imported = (reader.header.get("source") or {}).get("kind") == "imported"
        self._rules: dict[str, Callable[[Event], None]] = {
            EventKind.HEADER: self._header,
            EventKind.DATA: self._data,
            EventKind.NOTICE: self._notice,
            EventKind.CAPTURED: self._captured,
            EventKind.ACTION: self._action,
            EventKind.RESULT: self._result,
            EventKind.END: self._end,
        }

    def run(self) -> None:
        for event in self._reader.events():
            if self._found.ended:
                self._say(event, "stands after the end")
            self._times(event)
            if event.kind in self._rules:
                self._rules[event.kind](event)
            self._found.events += 1
        self._found.unknown = tuple(self._open)
        self._found.received = dict(self._received)
        if len(self._open) > 1:
            self._found.problems.append(f"{self._reader.path}: the actions {sorted(self._open)} have no result")

    def _say(self, event: Event, problem: str) -> None:
        self._found.problems.append(f"{self._reader.path}:{event.seq + 1}: {event.kind} {problem}")

    def _times(self, event: Event) -> None:
        stepped = event.kind == EventKind.NOTICE and event.data.get("code") == "clock_step"
        if self._wall is not None and event.wall_us < self._wall and not stepped:
            self._say(event, "is earlier than the one before, without a notice clock_step")
        if event.mono_ns < self._mono:
            self._say(event, "goes back in monotonic time")
        self._wall, self._mono = event.wall_us, max(self._mono, event.mono_ns)

    def _header(self, event: Event) -> None:
        named = trajectory_id_of(self._reader.path)
        if event.seq:
            self._say(event, "stands in the middle")
        elif event.data.get("trajectory_id") != named:
            self._say(event, f"is of {event.data.get('trajectory_id')!r}, but the file is named after {named!r}")

    def _data(self, event: Event) -> None:
        size = event.data.get("bytes", 0)
        try:
            found = len(self._reader.payload(event))
            if "bytes" in event.data and size != found:
                self._say(event, f"has {found} bytes, not {size}")
            size = found
        except FormatError as error:
            self._found.problems.append(str(error))
        self._received[str(event.data.get("channel"))] += size

    def _notice(self, event: Event) -> None:
        if event.data.get("code") == "write_failed":
            self._lost.update(event.data.get("bytes", {}))

    def _captured(self, event: Event) -> None:
        for channel, count in event.data.get("received", {}).items():
            if count > self._received[channel] + self._lost[channel]:
                self._say(event, f"counts {count} bytes of {channel}; {self._received[channel]} stand before it")
            if count < self._counts.get(channel, 0):
                self._say(event, f"counts fewer bytes of {channel} than the one before")
            self._counts[channel] = count
        if event.step is None:
            return
        if self._open.get(event.step) is not False:
            self._say(event, f"of step {event.step} belongs to no open action, or is its second")
        self._open[event.step] = True

    def _action(self, event: Event) -> None:
        if event.step != self._found.steps:
            self._say(event, f"has step {event.step}, not {self._found.steps}")
        self._found.steps += 1
        if event.step is not None:
            self._open[event.step] = False

    def _result(self, event: Event) -> None:
        captured = None if event.step is None else self._open.pop(event.step, None)
        if captured is None:
            self._say(event, f"of step {event.step} answers no open action")
        elif not captured and not self._imported:
            self._say(event, f"of step {event.step} has no observation")

    def _end(self, _event: Event) -> None:
        self._found.ended = True
