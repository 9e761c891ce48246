"""One part: the task that runs on a worker."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

from worldtape.pipelines._garbage import rarely_collecting
from worldtape.pipelines.project._member import STAGE, Member, to_note
from worldtape.pipelines.project._tables import Tables
from worldtape.storage import Lake


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
    tables = Tables()
    with rarely_collecting():
        for member in work.members:
            tables.add(work.lake, member)
    members = sorted(tables.members(), key=lambda member: member.trajectory_id)
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
        tried = old if old.reason is None else _tried(work.lake, fresh[old.trajectory_id])
        if old.reason is not None and tried.reason is None:
            return None
        still.append(tried)
    return tuple(still)


def _tried(lake: Lake, member: Member) -> Member:
    tables = Tables()
    tables.add(lake, member)
    (tried,) = tables.members()
    return tried


def _worker() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
