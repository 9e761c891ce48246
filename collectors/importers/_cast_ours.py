"""Terminal recordings that we exported: markers are actions; what else the lake knew stands in events of our own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldtape.collectors.importers import _ours
from worldtape.collectors.importers._cast import FACTS, Burst, Cast, imported, lossy
from worldtape.collectors.importers._json import parse
from worldtape.errors import FormatError
from worldtape.schemas import Action, Imported, ImportedStep, Orphan, Renderer, canonical_json


def labelled(label: str) -> Action:
    """Return the action that a marker's label is, as both sides read it."""
    try:
        value = parse(label.encode())
    except FormatError:
        value = None
    arguments = canonical_json(value) if isinstance(value, list) else None
    return Action(kind=_ours.KEYSTROKES, text=label, arguments=arguments)


def restored(cast: Cast, stream: Iterator[Burst | Orphan], tail: dict[str, Any]) -> Imported:
    """Return the trajectory as it stood in the lake; the observations are rendered again.

    Raises:
        FormatError: what stands under `worldtape` cannot be.
    """
    assert cast.ours is not None
    columns = cast.ours["trajectory"]
    held: list[tuple[str, bytes]] = []
    read = imported(cast, stream, tail, lambda burst, renderer, _: _step(burst, renderer, held))
    made = _ours.trajectory(columns, read.steps, "")
    made.rendering = read.rendering
    if made.initial is None:
        held += read.initial_data
    else:
        made.initial, made.initial_data = read.initial, read.initial_data
    return made


def _step(burst: Burst, renderer: Renderer, held: list[tuple[str, bytes]]) -> ImportedStep:
    """Make a transition; `held` are bytes that no observation has shown yet."""
    for channel, data in burst.data:
        renderer.feed(channel, data)
    columns = _facts(burst)
    content = None if columns.get(_ours.OBSERVED, "") is None else renderer.render()
    made = _ours.step(labelled(burst.label or ""), content, columns, burst.locator)
    held += burst.data
    if content is not None:
        made.observation, made.data = content, tuple(held)
        held.clear()
    made.lossiness += lossy(burst)
    return made


def _facts(burst: Burst) -> dict[str, Any]:
    value = {} if burst.facts is None else parse(burst.facts.encode())
    if not isinstance(value, dict):
        raise FormatError("what stands under worldtape cannot be: no object", where=burst.locator)
    return value


__all__ = ["FACTS", "labelled", "restored"]
