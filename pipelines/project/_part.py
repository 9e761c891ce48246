"""One part: the task that runs on a worker."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from worldtape.errors import WorldtapeError, boundary
from worldtape.pipelines.project._fold import Fold
from worldtape.pipelines.project._member import STAGE, Member, to_note
from worldtape.pipelines.project._rows import Rows
from worldtape.pipelines.project._source import opened
from worldtape.schemas import Status
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS
from worldtape.storage import Lake

if TYPE_CHECKING:
    import pyarrow as pa

_BAD = (WorldtapeError, KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""What damaged or foreign rows raise."""
_ROWS = 2048
_BYTES = 4 << 20
"""Rows, and bytes of their tapes, that become Arrow at once."""


@dataclass(frozen=True, slots=True)
class Work:
    """A part to be written."""

    lake: Lake
    domain: str
    part_id: str
    members: tuple[Member, ...]
    settings: str
    stands: bool
    """Whether its tables are there already, and are replaced."""


@dataclass(frozen=True, slots=True)
class Written:
    """What came of it."""

    members: tuple[Member, ...]
    worker: str


def project_part(work: Work) -> Written:
    """Project the tapes of one part, write its tables and its note, and return what became of each tape."""
    tables = _Tables()
    for member in work.members:
        tables.add(work.lake, member)
    members = tables.finish()
    if work.stands or any(member.reason is None for member in members):
        work.lake.write_part(work.domain, work.part_id, tables.trajectories(), tables.transitions())
    work.lake.write_note(STAGE, work.part_id, to_note(members, work.settings))
    return Written(tuple(members), f"{socket.gethostname()}:{os.getpid()}")


class _Tables:
    """The two tables of a part; the rows of several tapes become Arrow at once, since each conversion has its price."""

    def __init__(self) -> None:
        self._rows = (Rows(TRAJECTORIES), Rows(TRANSITIONS))
        self._batches: tuple[list[pa.RecordBatch], list[pa.RecordBatch]] = ([], [])
        self._members: list[Member] = []
        self._waiting: list[_Folded] = []

    def add(self, lake: Lake, member: Member) -> None:
        """Take one tape, whole or not at all."""
        try:
            with boundary(member.tape), opened(lake, member.tape) as reader:
                self._waiting.append(_folded(Fold(reader, member.tape), member))
        except _BAD as error:
            self._members.append(replace(member, reason=_told(error)))
        if sum(len(one.rows) for one in self._waiting) >= _ROWS or sum(one.bytes for one in self._waiting) >= _BYTES:
            self._flush()

    def finish(self) -> list[Member]:
        """Return what became of each tape."""
        self._flush()
        return self._members

    def trajectories(self) -> pa.Table:
        """Return the rows of `trajectories`."""
        return self._table(0)

    def transitions(self) -> pa.Table:
        """Return the rows of `transitions`."""
        return self._table(1)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        try:
            self._take(waiting)
        except _BAD:
            for one in waiting:
                self._alone(one)
        else:
            self._members += [one.member for one in waiting]

    def _alone(self, one: _Folded) -> None:
        try:
            self._take([one])
        except _BAD as error:
            self._members.append(replace(one.member, reason=_told(error)))
        else:
            self._members.append(one.member)

    def _take(self, waiting: list[_Folded]) -> None:
        """Add all of them, or none."""
        one, many = self._rows
        with boundary():
            try:
                for found in waiting:
                    one.add(found.trajectory)
                    for row in found.rows:
                        many.add(row)
                fresh = [one.batch(), many.batch()]
            finally:
                one.clear()
                many.clear()
        for batches, batch in zip(self._batches, fresh, strict=True):
            batches.append(batch)

    def _table(self, place: int) -> pa.Table:
        import pyarrow as pa

        batches = self._batches[place] or [self._rows[place].batch()]
        return pa.Table.from_batches(batches).combine_chunks()


@dataclass(frozen=True, slots=True)
class _Folded:
    """The rows of one tape."""

    member: Member
    trajectory: dict[str, Any]
    rows: list[dict[str, Any]]
    bytes: int


def _folded(fold: Fold, member: Member) -> _Folded:
    rows = fold.transitions()
    told = replace(
        member,
        transitions=len(rows),
        unknown=sum(row["outcome"]["status"] == Status.UNKNOWN for row in rows),
        mismatched=fold.mismatched,
        interrupted=fold.interrupted,
    )
    return _Folded(told, fold.trajectory(), rows, member.bytes)


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, WorldtapeError) else f"{type(error).__name__}: {error}"
