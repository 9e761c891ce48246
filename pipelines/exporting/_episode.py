"""A trajectory of a lake as exporters see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Self

from worldtape.errors import FormatError, NotFoundError
from worldtape.pipelines.project._source import opened
from worldtape.storage import Lake, TapeReader
from worldtape.storage.blobs import read_blob

if TYPE_CHECKING:
    import polars as pl

    from worldtape.storage import Part

Row = dict[str, Any]
_END: tuple[Any, Iterator[Row]] = (None, iter(()))


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
    """Yield the trajectories of one part by id, those of `ids` only; the part's columns are held in memory.

    Args:
        lake: the lake.
        trajectories: the part's half with the trajectories.
        transitions: its other half.
        ids: null: all of them.

    Raises:
        FormatError: the two halves are not in one order.
    """
    groups = groupby(_rows(lake.read(transitions), ids), itemgetter("trajectory_id"))
    key, rows = next(groups, _END)
    for head in _rows(lake.read(trajectories), ids):
        mine: list[Row] = []
        if key == head["trajectory_id"]:
            mine = list(rows)
            key, rows = next(groups, _END)
        yield LakeEpisode(lake, head, mine)
    if key is not None:
        fix = "run `worldtape project` again"
        raise FormatError("its rows are not sorted by trajectory", where=transitions.path, fix=fix)


def _rows(frame: pl.DataFrame, ids: Sequence[str] | None) -> Iterator[Row]:
    import polars as pl

    if ids is not None:
        frame = frame.filter(pl.col("trajectory_id").is_in(ids))
    times = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Datetime)]
    yield from frame.with_columns(pl.col(times).dt.epoch("us")).iter_rows(named=True)
