"""A trajectory of a lake as exporters see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Self

import orjson

from worldtape.errors import NotFoundError
from worldtape.pipelines.project._source import opened
from worldtape.storage import Lake, TapeReader
from worldtape.storage.blobs import read_blob

if TYPE_CHECKING:
    import polars as pl

    from worldtape.storage import Part

Row = dict[str, Any]


@dataclass(slots=True)
class LakeEpisode:
    """One trajectory with its transitions; a context manager that closes what `tape` opened."""

    lake: Lake
    trajectory: Row
    transitions: Sequence[Row]
    _open: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def tape(self) -> TapeReader | None:
        """Return its tape; null where the lake holds it no more."""
        name = self.trajectory["tape"]
        try:
            return None if name is None else self._open.enter_context(opened(self.lake, name))
        except NotFoundError:
            return None

    def blob(self, ref: str) -> bytes:
        """Return the bytes of a blob of the lake, checked."""
        return read_blob(ref, self.lake.store.read, where=self.lake)


def episodes(lake: Lake, trajectories: Part, transitions: Part, ids: Sequence[str] | None) -> Iterator[LakeEpisode]:
    """Yield the trajectories of one part by id, those of `ids` only; the part is held in memory.

    Args:
        lake: the lake.
        trajectories: the part's half with the trajectories.
        transitions: its other half.
        ids: null: all of them.
    """
    heads = _rows(lake.read(trajectories), ids)
    bodies = {key: list(rows) for key, rows in groupby(_rows(lake.read(transitions), ids), itemgetter("trajectory_id"))}
    for head in heads:
        yield LakeEpisode(lake, head, bodies.pop(head["trajectory_id"], []))


def _rows(frame: pl.DataFrame, ids: Sequence[str] | None) -> Iterator[Row]:
    import polars as pl

    if ids is not None:
        frame = frame.filter(pl.col("trajectory_id").is_in(ids))
    times = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Datetime)]
    yield from frame.with_columns(pl.col(times).dt.epoch("us")).iter_rows(named=True)


def value(row: Any, name: str) -> Any:
    """Return what a JSON column of a row holds; null where it holds nothing."""
    text = row[name]
    return None if text is None else orjson.loads(text)
