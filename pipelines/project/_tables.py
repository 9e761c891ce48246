"""The two tables of a part, from its tapes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from worldtape.errors import FormatError, WorldtapeError, boundary
from worldtape.pipelines.project._fold import Fold
from worldtape.pipelines.project._mcp import understood
from worldtape.pipelines.project._member import Member
from worldtape.pipelines.project._rows import Row, Rows
from worldtape.pipelines.project._source import opened
from worldtape.schemas import Status
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS
from worldtape.storage import Lake, TapeReader
from worldtape.storage.lake import check_id

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 2048
_BYTES = 4 << 20
"""Rows, and bytes of their texts and tapes, that become Arrow at once: each conversion has its price."""


@dataclass(frozen=True, slots=True)
class _Folded:
    """The rows of one tape."""

    member: Member
    trajectory: Row
    transitions: list[Row]


class Tables:
    """Takes tapes, each whole or not at all."""

    def __init__(self) -> None:
        self._rows = (Rows(TRAJECTORIES), Rows(TRANSITIONS))
        self._batches: tuple[list[pa.RecordBatch], list[pa.RecordBatch]] = ([], [])
        self._members: list[Member] = []
        self._waiting: list[_Folded] = []
        self._count = self._bytes = 0

    def add(self, lake: Lake, member: Member) -> None:
        """Take one tape."""
        try:
            with boundary(member.tape), opened(lake, member.tape) as reader:
                _check(reader, member)
                fold = Fold(understood(reader), member.tape)
                self._waiting.append(_folded(fold, member))
        except Exception as error:  # noqa: BLE001  whatever stands on one tape, the rest of the lake goes on
            self._members.append(_aside(member, error))
            return
        self._count += len(self._waiting[-1].transitions)
        self._bytes += member.bytes + fold.characters
        if self._count >= _ROWS or self._bytes >= _BYTES:
            self._flush()

    def members(self) -> list[Member]:
        """Return what became of each tape, in no order."""
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
        self._count = self._bytes = 0
        try:
            self._take(waiting)
        except Exception:  # noqa: BLE001  one of them is bad: see which
            for one in waiting:
                self._alone(one)

    def _alone(self, one: _Folded) -> None:
        try:
            with boundary(one.member.tape):
                self._take([one])
        except Exception as error:  # noqa: BLE001
            self._members.append(_aside(one.member, error))

    def _take(self, folded: list[_Folded]) -> None:
        """Add all of them, or none."""
        if not folded:
            return
        one, many = self._rows
        fresh = one.batch([tape.trajectory for tape in folded]), many.batch([r for t in folded for r in t.transitions])
        for batches, batch in zip(self._batches, fresh, strict=True):
            batches.append(batch)
        self._members += [tape.member for tape in folded]

    def _table(self, place: int) -> pa.Table:
        import pyarrow as pa

        self._flush()
        batches = self._batches[place] or [self._rows[place].batch([])]
        return pa.Table.from_batches(batches).combine_chunks()


def _folded(fold: Fold, member: Member) -> _Folded:
    rows = fold.transitions()
    told = replace(
        member,
        transitions=len(rows),
        unknown=sum(row["outcome"]["status"] == Status.UNKNOWN for row in rows),
        mismatched=fold.mismatched,
        interrupted=fold.interrupted,
    )
    return _Folded(told, fold.trajectory(), rows)


def _aside(member: Member, error: Exception) -> Member:
    what = str(error) if isinstance(error, WorldtapeError) else f"{type(error).__name__}: {error}"
    return replace(member, reason=what)


def _check(reader: TapeReader, member: Member) -> None:
    check_id(reader.header, member.trajectory_id, member.tape)
    if reader.header["domain"] != member.domain:
        what = f"the tape is of domain {reader.header['domain']!r}, its part of {member.domain!r}"
        raise FormatError(what, where=member.tape, fix="a trajectory never changes its domain")
