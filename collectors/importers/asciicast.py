"""Terminal recordings of asciinema, versions 1 to 3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from worldtape.collectors.importers import _cast
from worldtape.collectors.importers._head import first_value
from worldtape.collectors.importers.terminal_bench import TerminalBench
from worldtape.collectors.renderers import make_renderer
from worldtape.errors import InputError
from worldtape.schemas import (
    Domain,
    End,
    EndStatus,
    Imported,
    ImportedStep,
    Lossiness,
    Orphan,
    PolicySpec,
    Rejected,
    Renderer,
    SourceFile,
)


class Asciicast:
    """Input bursts become actions, the screen before the next one becomes the observation."""

    name: ClassVar[str] = "asciicast"
    title: ClassVar[str] = "asciinema recordings"
    versions: ClassVar[str] = "1, 2, 3"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.TERMINAL,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (*_cast.LOSSES, Lossiness.NO_TIMESTAMPS, Lossiness.LOSSY_UTF8)

    def sniff(self, source: SourceFile) -> bool:
        """Look for the head: a version, and a size of the terminal."""
        value = first_value(source) if source.head.lstrip()[:1] == b"{" else None
        if not isinstance(value, dict) or not isinstance(value.get("version"), int):
            return False
        term = value.get("term")
        sized = "width" in value and "height" in value
        return sized if term is None else isinstance(term, dict) and "cols" in term and "rows" in term

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give the one trajectory of a recording that has input events."""
        cast = _cast.head(source)
        results = source.sibling("../results.json")
        if results is not None and TerminalBench().sniff(results):
            raise InputError("part of a Terminal-Bench run: its results.json brings it in", where=source.name)
        if not any(isinstance(event, _cast.Event) and event.code == "i" for event in _cast.events(source, cast)):
            fix = "record with `asciinema rec --stdin` (version 2) or `--capture-input` (version 3)"
            raise InputError("no input events: nobody acted that could be learned from", where=source.name, fix=fix)
        yield trajectory(source, cast)


def trajectory(source: SourceFile, cast: _cast.Cast) -> Imported:
    """Make the trajectory; its steps are read while they are asked for."""
    renderer = make_renderer(cast.rendering)
    tail: dict[str, Any] = {}
    stream = _cast.bursts(_cast.events(source, cast), cast, tail)
    before, early = _cast.before_first(stream, renderer)
    return Imported(
        locator="",
        domain=Domain.TERMINAL,
        environment=cast.environment,
        policy=PolicySpec(kind="imported"),
        steps=_steps(stream, early, cast, renderer, tail),
        initial=renderer.render(),
        initial_data=tuple(before.data),
        rendering=cast.rendering,
        lossiness=_cast.LOSSES + (() if cast.started_at is not None else (Lossiness.NO_TIMESTAMPS,)),
        started_at=cast.started_at,
        end=End(status=EndStatus.COMPLETED),
        extra=cast.extra,
    )


def _steps(
    stream: Iterator[_cast.Burst | Orphan],
    early: list[Orphan],
    cast: _cast.Cast,
    renderer: Renderer,
    tail: dict[str, Any],
) -> Iterator[ImportedStep | Orphan]:
    yield from early
    held: _cast.Burst | None = None
    for item in stream:
        if isinstance(item, Orphan):
            yield item
            continue
        if held is not None:
            yield _cast.step(held, cast, renderer, item.at)
        held = item
    if held is not None:
        last = _cast.step(held, cast, renderer, tail.get("at", held.at))
        if "exit" in tail:
            last.extra["session_exit"] = tail["exit"]
        yield last
