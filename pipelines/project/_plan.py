"""Which tapes go into which part."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

from worldtape.errors import FormatError, WorldtapeError, boundary
from worldtape.pipelines._stage import SETTINGS
from worldtape.pipelines.project._member import STAGE, Member, from_note
from worldtape.pipelines.project._part import Work
from worldtape.pipelines.project._source import is_live
from worldtape.schemas import SCHEMA_VERSION, Domain, canonical_json
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS
from worldtape.storage import Lake, TapeRef, part_id
from worldtape.storage.lake import Part, cut_repeats, fingerprint, tape_header

_DOMAINS = frozenset(map(str, Domain))
VERSION = "2"
"""Of the projection's code: raise it when the same tapes give other rows."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How big a new part may become."""

    tapes: int
    bytes: int
    """Of its tapes as they lie on disk; of packed ones without compression."""


@dataclass
class Plan:
    """What is to be done, and what is not."""

    works: list[Work] = field(default_factory=list)
    standing: list[Member] = field(default_factory=list)
    """Members of parts that are as they should be."""
    live: list[str] = field(default_factory=list)
    set_aside: dict[str, str] = field(default_factory=dict)
    recordings: int = 0


def settings() -> str:
    """Return the hash of everything but the tapes that decides what a row looks like."""
    columns = [[column.name, column.path, column.type] for column in (*TRAJECTORIES, *TRANSITIONS)]
    return hashlib.sha256(canonical_json([VERSION, SCHEMA_VERSION, columns]).encode()).hexdigest()


def make_plan(lake: Lake, bounds: Bounds) -> Plan:
    """Plan a projection.

    A part keeps its tapes for ever. What was set aside is tried again each time: its blob may be back. Tapes that are
    in no part are sorted by domain, place in packs and id, and cut into new parts, so the grouping of a lake
    without parts depends on its tapes only. Where tables were deleted, the notes of earlier projections still tell the
    old grouping; where these are gone too, a lake that grew in several runs is cut anew.
    """
    tapes = {tape.trajectory_id: tape for tape in lake.tapes()}
    plan = Plan(recordings=len(tapes))
    current = settings()
    taken: set[str] = set()
    for part, members, fresh in _standing(lake, _members(lake), current, tapes):
        taken.update(member.trajectory_id for member in members)
        now = [_now(lake, member, tapes) for member in members]
        gone = any(member.trajectory_id not in tapes for member in members)
        same = fresh and now == [_key(member) for member in members]
        if gone or (same and all(member.reason is None for member in members)):
            plan.standing += members
        else:
            work = _work(lake, part.domain or members[0].domain, members, tapes, current, part)
            plan.works.append(replace(work, noted=tuple(members)) if same else work)
    banned = lake.forgotten()
    free = [tape for key, tape in tapes.items() if key not in taken and fingerprint(key) not in banned]
    plan.recordings -= len(tapes.keys() - taken) - len(free)

    def order(member: Member) -> tuple[str, tuple[str, int], str]:
        return member.domain, tapes[member.trajectory_id].place, member.trajectory_id

    for group in _chunks(sorted(_heads(lake, free, plan), key=order), bounds):
        plan.works.append(_work(lake, group[0].domain, group, tapes, current, None))
    return plan


def _members(lake: Lake) -> dict[Part, frozenset[str]]:
    """Return the trajectories of every part; what stood in several is cut out of all but one."""

    def read() -> dict[Part, frozenset[str]]:
        return {part: frozenset(lake.members(part)) for part in lake.parts("trajectories")}

    found = read()
    if len(frozenset().union(*found.values())) == sum(map(len, found.values())):
        return found
    cut_repeats(lake, found)
    return read()


def _standing(
    lake: Lake, parts: dict[Part, frozenset[str]], current: str, tapes: dict[str, TapeRef]
) -> Iterator[tuple[Part, list[Member], bool]]:
    """Yield every part there is or was, its members, and whether it was projected by this code and is whole."""
    whole = {part.part_id: part for part in parts}
    notes = {note.part_id: note for note in lake.note_files(STAGE)}
    seen: set[str] = set()
    for key, part in whole.items():
        members = _noted(lake, notes[key]) if key in notes else []
        ids = parts[part]
        known = {member.trajectory_id for member in members if member.reason is None}
        fresh = known == ids and _same(lake, notes[key], current)
        members = members if fresh or known >= ids else [Member(i, str(part.domain), "", -1) for i in sorted(ids)]
        seen.update(member.trajectory_id for member in members)
        yield part, members, fresh
    for key in sorted(notes.keys() - whole.keys()):
        members = _noted(lake, notes[key])
        named = {member.trajectory_id for member in members}
        if named and named <= tapes.keys() and not named & seen and part_id(named) == key:
            seen |= named
            nothing = all(member.reason is not None for member in members)
            yield notes[key], members, nothing and _same(lake, notes[key], current)


def _noted(lake: Lake, note: Part) -> list[Member]:
    try:
        return from_note(lake.read(note))
    except (FormatError, TypeError):
        return []


def _same(lake: Lake, note: Part, current: str) -> bool:
    import pyarrow.parquet as pq

    with lake.store.open(note.name) as file:
        metadata = pq.read_schema(file).metadata or {}
    return bool(metadata.get(SETTINGS) == current.encode())


def _key(member: Member) -> tuple[str, str, int]:
    return member.trajectory_id, member.tape, member.bytes


def _now(lake: Lake, member: Member, tapes: dict[str, TapeRef]) -> tuple[str, str, int]:
    tape = tapes.get(member.trajectory_id)
    return (member.trajectory_id, "", 0) if tape is None else (tape.trajectory_id, tape.name, _size(lake, tape))


def _size(lake: Lake, tape: TapeRef) -> int:
    return lake.store.size(tape.name) if tape.bytes is None else tape.bytes


def _work(
    lake: Lake, domain: str, members: list[Member], tapes: dict[str, TapeRef], current: str, part: Part | None
) -> Work:
    ids = [member.trajectory_id for member in members]
    read = sorted((tapes[key] for key in ids), key=lambda tape: (tape.place, tape.trajectory_id))
    found = tuple(Member(tape.trajectory_id, domain, tape.name, _size(lake, tape)) for tape in read)
    stands = part is not None and part.table == "trajectories"
    return Work(lake, domain, part.part_id if part else part_id(ids), found, current, stands)


def _heads(lake: Lake, tapes: Iterable[TapeRef], plan: Plan) -> Iterator[Member]:
    for tape in tapes:
        if not tape.sealed and lake.store.local and is_live(tape.path):
            plan.live.append(tape.trajectory_id)
            continue
        try:
            domain = _domain(lake, tape)
        except Exception as error:  # noqa: BLE001  whatever one header says, the rest of the lake goes on
            what = str(error) if isinstance(error, WorldtapeError) else f"{type(error).__name__}: {error}"
            plan.set_aside[tape.trajectory_id] = what
            continue
        yield Member(tape.trajectory_id, domain, tape.name, _size(lake, tape))


def _domain(lake: Lake, tape: TapeRef) -> str:
    with boundary(tape.name):
        domain = tape.domain or str(tape_header(lake, tape)["domain"])
    if domain not in _DOMAINS:
        raise FormatError(
            f"no domain is called {domain!r}", where=tape.name, fix=f"one of {', '.join(sorted(_DOMAINS))}"
        )
    return domain


def _chunks(members: list[Member], bounds: Bounds) -> Iterator[list[Member]]:
    for _, same in groupby(members, key=lambda member: member.domain):
        group: list[Member] = []
        size = 0
        for member in same:
            if group and (len(group) >= bounds.tapes or size + member.bytes > bounds.bytes):
                yield group
                group, size = [], 0
            group.append(member)
            size += member.bytes
        yield group
