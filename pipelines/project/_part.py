"""One part: the task that runs on a worker."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from worldtape.errors import FormatError, WorldtapeError, boundary
from worldtape.pipelines.project._fold import Fold
from worldtape.pipelines.project._member import STAGE, Member, to_note
from worldtape.pipelines.project._rows import Rows
from worldtape.pipelines.project._source import opened
from worldtape.schemas import Status
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS
from worldtape.storage import Lake, TapeReader
from worldtape.storage.lake import check_id

if TYPE_CHECKING:
    import pyarrow as pa


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
    noted: tuple[Member, ...] = ()
    """What the last projection made of the tapes, where only those that it set aside are to be tried again."""


@dataclass(frozen=True, slots=True)
class Written:
    """What came of it."""

    members: tuple[Member, ...]
    tables: bool
    """Whether tables were written; a part of which every tape was set aside has none."""
    worker: str


def project_part(work: Work) -> Written:
    """Project the tapes of one part, write its tables and its note, and return what became of each tape."""
    if work.noted and (still := _still_aside(work)) is not None:
        if still != work.noted:
            work.lake.write_note(STAGE, work.part_id, to_note(list(still), work.settings))
        return Written(still, False, _worker())
    tables = _Tables()
    members = [tables.add(work.lake, member) for member in work.members]
    written = work.stands or any(member.reason is None for member in members)
    if written:
        work.lake.write_part(work.domain, work.part_id, tables.trajectories(), tables.transitions())
    work.lake.write_note(STAGE, work.part_id, to_note(members, work.settings))
    return Written(tuple(members), written, _worker())


def _still_aside(work: Work) -> tuple[Member, ...] | None:
    """Try the tapes that were set aside, and return all as they are now; null as soon as one can be read again."""
    fresh = {member.trajectory_id: member for member in work.members}
    still = []
    for old in work.noted:
        tried = old if old.reason is None else _Tables().add(work.lake, fresh[old.trajectory_id])
        if old.reason is not None and tried.reason is None:
            return None
        still.append(tried)
    return tuple(still)


def _worker() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


class _Tables:
    """The two tables of a part, one batch per tape."""

    def __init__(self) -> None:
        self._rows = (Rows(TRAJECTORIES), Rows(TRANSITIONS))
        self._batches: tuple[list[pa.RecordBatch], list[pa.RecordBatch]] = ([], [])

    def add(self, lake: Lake, member: Member) -> Member:
        """Take one tape, whole or not at all."""
        try:
            with boundary(member.tape), opened(lake, member.tape) as reader:
                _check(reader, member)
                return self._fold(Fold(reader, member.tape), member)
        except Exception as error:  # noqa: BLE001  whatever stands on one tape, the rest of the lake goes on
            for rows in self._rows:
                rows.clear()
            what = str(error) if isinstance(error, WorldtapeError) else f"{type(error).__name__}: {error}"
            return replace(member, reason=what)

    def trajectories(self) -> pa.Table:
        """Return the rows of `trajectories`."""
        return self._table(0)

    def transitions(self) -> pa.Table:
        """Return the rows of `transitions`."""
        return self._table(1)

    def _fold(self, fold: Fold, member: Member) -> Member:
        one, many = self._rows
        rows = fold.transitions()
        one.add(fold.trajectory())
        for row in rows:
            many.add(row)
        fresh = [one.batch(), many.batch()]
        for batches, batch in zip(self._batches, fresh, strict=True):
            batches.append(batch)
        return replace(
            member,
            transitions=len(rows),
            unknown=sum(row["outcome"]["status"] == Status.UNKNOWN for row in rows),
            mismatched=fold.mismatched,
            interrupted=fold.interrupted,
        )

    def _table(self, place: int) -> pa.Table:
        import pyarrow as pa

        batches = self._batches[place] or [self._rows[place].batch()]
        return pa.Table.from_batches(batches).combine_chunks()


def _check(reader: TapeReader, member: Member) -> None:
    check_id(reader.header, member.trajectory_id, member.tape)
    if reader.header["domain"] != member.domain:
        what = f"the tape is of domain {reader.header['domain']!r}, its part of {member.domain!r}"
        raise FormatError(what, where=member.tape, fix="a trajectory never changes its domain")
