"""Terminal recordings of asciinema: events, and the transitions they hold."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from worldtape.collectors.importers._json import document, lines, parse
from worldtape.collectors.importers._ours import MEMBER, member
from worldtape.collectors.renderers import make_renderer
from worldtape.errors import FormatError, VersionError
from worldtape.schemas import (
    Action,
    Domain,
    EnvironmentSpec,
    Imported,
    ImportedStep,
    Lossiness,
    Orphan,
    Outcome,
    PolicySpec,
    Renderer,
    Rendering,
    SourceFile,
    Status,
    Timing,
    canonical_json,
)

_LOSSES = (
    Lossiness.NO_EXIT_CODE,
    Lossiness.MERGED_STREAMS,
    Lossiness.NO_INITIAL_STATE,
    Lossiness.NO_ENV_IMAGE,
    Lossiness.NO_PROBES,
)
LOSSINESS = (*_LOSSES, Lossiness.NO_TIMESTAMPS, Lossiness.LOSSY_UTF8)
"""What a recording may lack."""
CODES = frozenset("oirmx")
FACTS = "w"
"""Our own event: what the lake knew of a transition, beside the bytes."""
_SIZE = re.compile(r"([1-9]\d{0,4})x([1-9]\d{0,4})")
_LARGEST = 1_000_000
"""Cells of a screen: more is no terminal, and would have to be held in memory."""
_LONGEST_DAY = 10 * 366 * 86_400.0
_REPLACED = "\ufffd".encode()
_PAUSE_US = 1_000_000
"""Keys typed after a longer pause are another action."""
_ANSWER = re.compile(r"\n|\x1b\[\?|\x1b\[2J")
"""Output that is more than the echo of what is typed: a new line, a switched mode, a cleared screen."""


@dataclass(slots=True)
class Cast:
    """The head of a recording."""

    version: int
    cols: int
    rows: int
    started_at: int | None
    term: str | None
    extra: dict[str, Any]
    marked: bool
    """Our own export: markers tell where each action begins."""
    ours: dict[str, Any] | None = None
    """What it says of the trajectory."""

    @property
    def rendering(self) -> Rendering:
        return Rendering(name="terminal.screen", version="1", parameters={"cols": self.cols, "rows": self.rows})

    @property
    def environment(self) -> EnvironmentSpec:
        parameters = {"cols": self.cols, "rows": self.rows} | ({"term": self.term} if self.term else {})
        return EnvironmentSpec(kind="terminal", network="unknown", parameters=parameters)

    @property
    def size(self) -> tuple[str, bytes]:
        return "pty.size", size_line(self.cols, self.rows)


@dataclass(slots=True)
class Event:
    """One event; `at` is microseconds since the start and never decreases."""

    at: int
    code: str
    data: str
    locator: str


def size_line(cols: int, rows: int) -> bytes:
    """Return a line of the channel `pty.size`."""
    return canonical_json({"cols": cols, "rows": rows}).encode() + b"\n"


def read_size(text: str) -> tuple[int, int] | None:
    """Return columns and rows of `80x24`; None where it is no size that a terminal can have."""
    match = _SIZE.fullmatch(text)
    return sane(int(match[1]), int(match[2])) if match else None


def sane(cols: Any, rows: Any) -> tuple[int, int] | None:
    """Return a size that a terminal can have, or null."""
    whole = all(isinstance(side, int) and not isinstance(side, bool) and side > 0 for side in (cols, rows))
    return (cols, rows) if whole and max(cols, rows) <= 10_000 and cols * rows <= _LARGEST else None  # noqa: PLR2004


def head(source: SourceFile) -> Cast:
    """Return the head of a recording of any version.

    Raises:
        VersionError: a later version.
        FormatError: there is no head, or it has no usable size.
    """
    first = next(lines(source), (0, b""))[1]
    try:
        value = parse(first)
    except FormatError:
        value = document(source)
    if not isinstance(value, dict):
        raise FormatError("a recording begins with an object that tells its size", where=source.name)
    version = value.get("version")
    if version not in (1, 2, 3) or isinstance(version, (bool, float)):
        raise VersionError(f"asciicast version {str(version)[:40]} is unknown; 1, 2 and 3 are read", where=source.name)
    return _head(value, version, source.name)


def _head(value: dict[str, Any], version: int, name: str) -> Cast:
    term = value.get("term") if version == 3 else {"cols": value.get("width"), "rows": value.get("height")}  # noqa: PLR2004
    term = term if isinstance(term, dict) else {}
    size = sane(term.get("cols"), term.get("rows"))
    if size is None:
        raise FormatError("the head has no usable size of the terminal", where=name)
    env = value.get("env") if isinstance(value.get("env"), dict) else {}
    kind = term.get("type") or (env or {}).get("TERM")
    dropped = {"version", "width", "height", "term", "stdout", "timestamp", "theme"}
    extra = {key: item for key, item in value.items() if key not in dropped and len(canonical_json(item)) < 4096}  # noqa: PLR2004
    return Cast(
        version=version,
        cols=size[0],
        rows=size[1],
        started_at=_microseconds(value.get("timestamp")),
        term=kind if isinstance(kind, str) else None,
        extra=extra | ({"terminal": term["version"]} if isinstance(term.get("version"), str) else {}),
        marked=isinstance(value.get(MEMBER), dict),
        ours=member(value.get(MEMBER)),
    )


def _microseconds(seconds: Any) -> int | None:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < 1e11:  # noqa: PLR2004
        return None
    return round(seconds * 1_000_000)


def events(source: SourceFile, cast: Cast) -> Iterator[Event | Orphan]:
    """Give the events in file order; times that run backwards are held and told, bad ones are told and left out."""
    now = 0
    for locator, value in _raw(source, cast):
        if isinstance(value, Orphan):
            yield value
            continue
        seconds, code, data = _fields(value, cast.version)
        if seconds is None or not isinstance(code, str) or not isinstance(data, str):
            yield Orphan("bad_event", {"at": locator})
            continue
        at = round(seconds * 1_000_000) + (0 if cast.version == 2 else now)  # noqa: PLR2004
        if at < now:
            yield Orphan("time_backwards", {"at": locator, "microseconds": now - at})
        now = max(now, at)
        if code not in CODES and (code != FACTS or cast.ours is None):
            yield Orphan("unknown_record", {"at": locator, "code": code[:40]})
            continue
        yield Event(now, code, data, locator)


def _fields(value: Any, version: int) -> tuple[float | None, Any, Any]:
    wanted = 2 if version == 1 else 3
    if not isinstance(value, list) or len(value) != wanted:
        return None, None, None
    seconds, code, data = (value[0], "o", value[1]) if version == 1 else value
    number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    return (float(seconds) if number and abs(seconds) < _LONGEST_DAY else None), code, data


def _raw(source: SourceFile, cast: Cast) -> Iterator[tuple[str, Any]]:
    if cast.version == 1:
        frames = document(source).get("stdout")
        yield from ((f"/stdout/{number}", frame) for number, frame in enumerate(frames or ()))
        return
    bad: Orphan | None = None
    body = lines(source)
    next(body)
    for offset, line in body:
        if cast.version == 3 and line.startswith(b"#"):  # noqa: PLR2004
            continue
        if bad is not None:
            yield "", bad
            bad = None
        locator = f"bytes:{offset}-{offset + len(line)}"
        try:
            yield locator, parse(line)
        except FormatError:
            bad = Orphan("bad_line", {"at": locator})
    if bad is not None:
        yield "", Orphan("truncated_source", bad.details)


@dataclass(slots=True)
class Burst:
    """One action under way: what was typed and what came after it."""

    at: int
    locator: str
    keys: str = ""
    label: str | None = None
    """The text of our own marker."""
    facts: str | None = None
    """The text of our own event."""
    last: int = 0
    """When the newest key was sent."""
    answer: str = ""
    """Output since the newest key."""
    answered: bool = False
    first_output: int | None = None
    data: list[tuple[str, bytes]] = field(default_factory=list)

    def ended_by(self, event: Event, *, marked: bool) -> bool:
        """Tell whether the keys of `event` begin another action."""
        if marked or not self.answered:
            return False
        done = self.keys[-1:] < " " and self.keys[-1:] != "\t"
        return done or event.at - self.last >= _PAUSE_US or _ANSWER.search(self.answer) is not None


def bursts(stream: Iterable[Event | Orphan], cast: Cast, tail: dict[str, Any]) -> Iterator[Burst | Orphan]:
    """Fold events into actions with their output; `tail` takes the exit status and the time of the last event.

    The first burst has no keys: it is what stood there before the first action.
    """
    burst = Burst(0, "", data=[cast.size])
    for event in stream:
        if isinstance(event, Orphan):
            yield event
            continue
        tail["at"] = event.at
        begins = cast.marked if event.code == "m" else event.code == "i" and not burst.locator
        if begins or (event.code == "i" and burst.ended_by(event, marked=cast.marked)):
            yield burst
            burst = Burst(event.at, event.locator)
        trouble = take(burst, event, tail, marked=cast.marked)
        if trouble is not None:
            yield trouble
    yield burst


def take(burst: Burst, event: Event, tail: dict[str, Any], *, marked: bool) -> Orphan | None:
    """Add an event to the action under way; what belongs to no action is given back."""
    raw = event.data.encode("utf-8", "replace")
    if event.code == "o":
        burst.data.append(("pty", raw))
        burst.answer = (burst.answer + event.data)[-4096:]
        burst.answered = True
        burst.first_output = event.at if burst.first_output is None else burst.first_output
    elif event.code == "i":
        burst.data.append(("pty.in", raw))
        burst.keys += event.data
        burst.last, burst.answer, burst.answered = event.at, "", False
    elif event.code == "r":
        size = read_size(event.data)
        if size is None:
            return Orphan("bad_event", {"at": event.locator, "size": event.data[:40]})
        burst.data.append(("pty.size", size_line(*size)))
    elif event.code == "x":
        tail["exit"] = event.data
    elif event.code == FACTS:
        burst.facts = event.data
    elif marked:
        burst.label = event.data
    else:
        return Orphan("marker", {"at": event.locator, "label": event.data})
    return None


def has_input(source: SourceFile, cast: Cast) -> bool:
    """Tell whether anybody's keys were recorded."""
    return any(isinstance(event, Event) and event.code == "i" for event in events(source, cast))


def step(burst: Burst, cast: Cast, renderer: Renderer, until: int) -> ImportedStep:
    """Make a transition of an action; `until` is when it was over, microseconds since the start."""
    for channel, data in burst.data:
        renderer.feed(channel, data)
    start = cast.started_at
    over = max(until, burst.at)
    return ImportedStep(
        action=keys_action(burst, (over - burst.at) / 1_000_000),
        observation=renderer.render(),
        outcome=Outcome(status=Status.OK),
        timing=Timing(
            started_at=None if start is None else start + burst.at,
            first_output_at=None if start is None or burst.first_output is None else start + burst.first_output,
            ended_at=None if start is None else start + over,
            duration_ms=(over - burst.at) / 1000,
        ),
        lossiness=lossy(burst),
        locator=burst.locator,
        data=tuple(burst.data),
    )


def lossy(burst: Burst) -> tuple[Lossiness, ...]:
    """Return the code of bytes that the writer replaced, where there are any."""
    return (Lossiness.LOSSY_UTF8,) if any(_REPLACED in data for _, data in burst.data) else ()


def keys_action(burst: Burst, wait_s: float, *, actor: str = "agent", keys: str | None = None) -> Action:
    """Return the action as the recipe writes it; its duration is how long it really took until the next one."""
    typed = burst.keys if keys is None else keys
    value: Any = [{"keystrokes": typed, "duration": round(wait_s, 3)}]
    text = json.dumps(value, ensure_ascii=False)
    if burst.label is not None:
        value, text = _labelled(burst.label, value, text)
    clean = text.encode("utf-8", "replace").decode()
    return Action(
        kind="keystrokes",
        text=clean,
        raw=burst.keys if typed != burst.keys else None,
        arguments=canonical_json(value),
        actor=actor,
        wait_s=round(wait_s, 3),
    )


def _labelled(label: str, value: Any, text: str) -> tuple[Any, str]:
    try:
        told = parse(label.encode())
    except FormatError:
        return value, text
    return (told, label) if isinstance(told, list) else (value, text)


def imported(
    cast: Cast,
    stream: Iterator[Burst | Orphan],
    tail: dict[str, Any],
    make: Callable[[Burst, Renderer, int], ImportedStep],
) -> Imported:
    """Return the trajectory of a recording; its steps are read while they are asked for.

    Args:
        cast: the head.
        stream: its actions, the first of them what stands before any key.
        tail: what `stream` finds out: when the recording was over, and how its session ended.
        make: makes a transition of (action, renderer, when it was over).
    """
    renderer = make_renderer(cast.rendering)
    before, early = _before_first(stream, renderer)
    return Imported(
        locator="",
        domain=Domain.TERMINAL,
        environment=cast.environment,
        policy=PolicySpec(kind="imported"),
        steps=chain(early, _steps(stream, renderer, tail, make)),
        initial=renderer.render(),
        initial_data=tuple(before.data),
        rendering=cast.rendering,
        lossiness=_LOSSES + (() if cast.started_at is not None else (Lossiness.NO_TIMESTAMPS,)),
        started_at=cast.started_at,
    )


def _steps(
    stream: Iterator[Burst | Orphan],
    renderer: Renderer,
    tail: dict[str, Any],
    make: Callable[[Burst, Renderer, int], ImportedStep],
) -> Iterator[ImportedStep | Orphan]:
    held: Burst | None = None
    for item in stream:
        if isinstance(item, Orphan):
            yield item
            continue
        if held is not None:
            yield make(held, renderer, item.at)
        held = item
    if held is not None:
        last = make(held, renderer, tail.get("at", held.at))
        if "exit" in tail:
            last.extra["session_exit"] = tail["exit"]
        yield last


def _before_first(stream: Iterator[Burst | Orphan], renderer: Renderer) -> tuple[Burst, list[Orphan]]:
    """Take what stands before the first action, and feed it."""
    early: list[Orphan] = []
    for item in stream:
        if isinstance(item, Orphan):
            early.append(item)
            continue
        for channel, data in item.data:
            renderer.feed(channel, data)
        return item, early
    raise AssertionError("there is always a first burst")
