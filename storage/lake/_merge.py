"""Lakes into one lake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from worldtape.storage.lake import _layout as layout
from worldtape.storage.lake import _moves as moves
from worldtape.storage.lake._alone import alone
from worldtape.storage.lake._forgotten import fingerprint
from worldtape.storage.lake._refs import blob_files, blob_names
from worldtape.storage.lake._rewrite import copy_part, notes_by_part, spoken_of

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake
    from worldtape.storage.lake._tape_ref import TapeRef


@dataclass
class Merged:
    """What came in, and what did not."""

    tapes: int = 0
    blobs: int = 0
    parts: int = 0
    trajectories: int = 0
    """Rows that are new in the tables."""
    known: int = 0
    """Trajectories that were here already."""
    refused: int = 0
    """Trajectories that were taken down here and do not come back."""
    open: list[str] = field(default_factory=list)
    """Tapes that are not sealed: left where they are; recover that lake and merge again."""


def merge(into: Lake, sources: Sequence[Lake], *, progress: Callable[[int, int], None] | None = None) -> Merged:
    """Copy the tapes, blobs, parts and notes of `sources` into `into`; what is there already adds nothing.

    Parts keep their id where all of their trajectories are new; otherwise only the new rows are written, as the part of
    their own set. A crash leaves whole files only: run the same merge again.

    Args:
        into: where everything goes.
        sources: lakes, local or not; they are only read.
        progress: called with how many tapes and parts are done and how many there are.

    Raises:
        FormatError: a part of a source is damaged.
        LockedError: somebody else is changing `into`.
    """
    with alone(into):
        return _merge(into, sources, progress)


def _merge(into: Lake, sources: Sequence[Lake], progress: Callable[[int, int], None] | None) -> Merged:
    report = Merged()
    banned = into.forgotten()
    tapes = [(source, tape) for source in sources for tape in source.tapes()]
    parts = [(source, part) for source in sources for part in source.parts("transitions")]
    total, done = len(tapes) + len(parts), 0
    here = {tape.trajectory_id for tape in into.tapes() if tape.sealed}
    seen: set[str] = set()
    for source, tape in tapes:
        done += 1
        if fingerprint(tape.trajectory_id) in banned:
            report.refused += tape.trajectory_id not in seen
        elif not tape.sealed:
            report.open.append(tape.path)
        elif tape.trajectory_id not in here:
            _copy_tape(source, tape, into, report)
            here.add(tape.trajectory_id)
        seen.add(tape.trajectory_id)
        if progress is not None:
            progress(done, total)
    moves.finish_all(into)
    rows = {member for part in into.parts("trajectories") for member in into.members(part)}
    notes = {id(source): notes_by_part(source) for source in sources}
    for source, part in parts:
        done += 1
        judged = notes[id(source)].get(part.part_id, [])
        members = [member for member in source.members(part) if fingerprint(member) not in banned]
        fresh = set(members) - rows
        report.known += len(members) - len(fresh)
        if fresh:
            others = {i for i in spoken_of(source, part, judged) - set(members) if fingerprint(i) not in banned}
            copy_part(source, part, into, fresh | others, judged)
            rows.update(fresh)
            report.parts += 1
            report.trajectories += len(fresh)
        if progress is not None:
            progress(done, total)
    return report


def _copy_tape(source: Lake, tape: TapeRef, into: Lake, report: Merged) -> None:
    for digest in sorted(blob_names(source, tape.name)):
        names = blob_files(digest)
        if any(into.store.exists(name) for name in names):
            continue
        for name in names:
            if source.store.exists(name):
                into.store.copy(source.store, name)
                report.blobs += 1
                break
    into.store.copy(source.store, f"{layout.tape_folder(tape.trajectory_id)}/{tape.name.rpartition('/')[2]}")
    report.tapes += 1
