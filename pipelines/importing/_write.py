"""One foreign trajectory onto a tape."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import orjson

from worldtape.collectors.newest import Newest, message
from worldtape.collectors.renderers import make_renderer
from worldtape.pipelines.importing._encode import Repeated, ascii_json, clean, model_json, with_members
from worldtape.pipelines.importing._facts import usable_outcome, usable_time, usable_timing
from worldtape.schemas import (
    EventKind,
    Fault,
    Header,
    Imported,
    ImportedStep,
    Importer,
    Orphan,
    Renderer,
    SettledBy,
    Source,
    SourceFile,
    Timing,
)
from worldtape.storage import Shelf, WholeTape

CHANNEL = "text"
"""Where observations stand that are whole texts."""
_TEXTS = model_json(Newest(CHANNEL).rendering)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an importer's trajectories go."""

    shelf: Shelf
    importer: Importer
    source: SourceFile
    repeated: Repeated = field(default_factory=Repeated)


@dataclass(slots=True)
class Counts:
    """What stands on a tape."""

    transitions: int = 0
    lossiness: Counter[str] = field(default_factory=Counter)
    orphans: Counter[str] = field(default_factory=Counter)


def write(
    place: Place, trajectory_id: str, record: Imported, raw: tuple[dict[str, Any], dict[str, Any] | None]
) -> Counts | None:
    """Write the tape of `record` whole, or not at all; null where the lake has it by now.

    Raises:
        StorageError: the lake cannot be written.
        Exception: whatever the importer's steps raise.
    """
    tape = place.shelf.tape(trajectory_id, record.domain)
    try:
        writing = _Writing(tape, record, place.repeated)
        writing.begin(_header(place, trajectory_id, record, raw[0]), raw[1])
        for item in record.steps:
            if isinstance(item, Orphan):
                writing.orphan(item)
            else:
                writing.step(item)
        new = tape.publish(record.end.model_copy(update={"steps": writing.counts.transitions}))
    except BaseException:
        tape.discard()
        raise
    return writing.counts if new else None


def _header(place: Place, trajectory_id: str, record: Imported, kept: dict[str, Any]) -> Header:
    version = record.extra.get("format_version")
    name = place.importer.name
    return Header(
        trajectory_id=trajectory_id,
        domain=record.domain,
        environment=record.environment,
        task=record.task,
        policy=record.policy,
        source=Source(
            kind="imported",
            format=name if version is None else f"{name} {version}",
            uri=clean(place.source.name),
            digest=place.source.digest,
            locator=record.locator or None,
            licence=record.licence,
        ),
        lineage=record.lineage,
        recorder={"name": "worldtape", "version": _our_version()},
        extra=kept | ({"source": record.extra} if record.extra else {}),
    )


@cache
def _our_version() -> str:
    from worldtape import __version__

    return __version__


class _Writing:
    def __init__(self, tape: WholeTape, record: Imported, repeated: Repeated) -> None:
        self.counts = Counts()
        self._repeated = repeated
        self._tape = tape
        self._record = record
        self._everywhere = set(map(str, record.lossiness))
        self._renderer: Renderer | None = None if record.rendering is None else make_renderer(record.rendering)
        self._rendering = _TEXTS if record.rendering is None else model_json(record.rendering)
        self._received: Counter[str] = Counter()
        self._fault: Fault | None = None

    def begin(self, header: Header, notice: dict[str, Any] | None) -> None:
        record = self._record
        self._tape.write(EventKind.HEADER, model_json(header), wall_us=usable_time(record.started_at))
        if notice is not None:
            self._tape.append(EventKind.NOTICE, notice)
        text, rendering = self._initial()
        ready = b'{"environment":%b,"initial_state":%b,"lossiness":%b}' % (
            self._repeated.json(record.environment),
            self._repeated.json(record.initial_state),
            ascii_json(list(map(str, record.lossiness))),
        )
        self._tape.write(EventKind.READY, ready)
        if text is not None:
            self._captured(text, None, rendering, None, None)

    def _initial(self) -> tuple[str | None, bytes]:
        record = self._record
        if self._renderer is not None and record.initial_data:
            for channel, data in record.initial_data:
                self._data(channel, data, None, None)
                self._renderer.feed(channel, data)
            return self._renderer.render() if record.initial is None else clean(record.initial), self._rendering
        if record.initial is None:
            return None, b""
        text = clean(record.initial)
        self._data(CHANNEL, _message(text), None, None)
        return text, _TEXTS

    def orphan(self, orphan: Orphan) -> None:
        self._tape.append(EventKind.NOTICE, orphan.details | {"code": orphan.code})
        self.counts.orphans[orphan.code] += 1

    def step(self, step: ImportedStep) -> None:
        number = self.counts.transitions
        timing, bad = usable_timing(step.timing)
        if bad:
            self.orphan(Orphan("impossible_time", {"step": number, "timing": step.timing.to_dict()}))
        began = timing.started_at or timing.first_output_at or timing.ended_at
        ended = timing.ended_at or began
        for thought in step.thoughts:
            self._tape.append(EventKind.THOUGHT, thought, step=number, wall_us=began)
        if step.fault != self._fault:
            self._tape.append(EventKind.FAULT, {} if step.fault is None else step.fault.to_dict(), wall_us=began)
            self._fault = step.fault
        self._tape.write(EventKind.ACTION, model_json(step.action), step=number, wall_us=began)
        self._observation(step, number, ended)
        self._tape.write(EventKind.RESULT, self._result(step, timing), step=number, wall_us=ended)
        self.counts.transitions += 1
        self.counts.lossiness.update({*self._everywhere, *map(str, step.lossiness)})

    def _observation(self, step: ImportedStep, number: int, wall: int | None) -> None:
        text = None if step.observation is None else clean(step.observation)
        if self._renderer is None:
            if text is not None:
                self._data(CHANNEL, _message(text), number, wall)
        else:
            for channel, data in step.data:
                self._data(channel, data, number, wall)
                self._renderer.feed(channel, data)
            if text is None and step.data:
                text = self._renderer.render()
        if text is not None:
            self._captured(text, step.shown, self._rendering, number, wall, settled_by=step.settled_by)

    def _data(self, channel: str, data: bytes, number: int | None, wall: int | None) -> None:
        self._tape.data(channel, data, step=number, wall_us=wall)
        self._received[channel] += len(data)

    def _captured(
        self,
        text: str,
        shown: str | None,
        rendering: bytes,
        number: int | None,
        wall: int | None,
        settled_by: SettledBy | None = None,
    ) -> None:
        payload = b'{"shown":%b,"renderer":%b,"parts":[],"settled_by":%b,"received":%b,"sha256":"%b"}' % (
            b"null" if shown is None else ascii_json(clean(shown)),
            rendering,
            b"null" if settled_by is None else ascii_json(str(settled_by)),
            orjson.dumps(self._received),
            hashlib.sha256(text.encode()).hexdigest().encode(),
        )
        self._tape.write(EventKind.CAPTURED, payload, step=number, wall_us=wall)

    def _result(self, step: ImportedStep, timing: Timing) -> bytes:
        payload = (
            b'{"outcome":%b,"timing":%b,"state_after":%b,"snapshot":%b,"reward":%b,"done":false,"lossiness":%b}'
            % (
                self._repeated.json(usable_outcome(step.outcome)),
                self._repeated.json(timing),
                b"null" if step.state_after is None else ascii_json(step.state_after),
                b"null" if step.snapshot is None else ascii_json(step.snapshot),
                b"null" if step.reward is None else ascii_json(step.reward),
                ascii_json(list(map(str, step.lossiness))) if step.lossiness else b"[]",
            )
        )
        members = []
        if step.locator is not None:
            members.append(("locator", ascii_json(step.locator)))
        if step.extra:
            members.append(("source", ascii_json(step.extra)))
        return with_members(payload, members)


def _message(text: str) -> bytes:
    return orjson.dumps(text) + b"\n" if text.isascii() else message(text)
