"""Lakes into one lake."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from worldtape.errors import FormatError
from worldtape.storage.blobs import blob_files
from worldtape.storage.lake import _layout as layout
from worldtape.storage.lake import _moves as moves
from worldtape.storage.lake._alone import alone
from worldtape.storage.lake._forget import take_down
from worldtape.storage.lake._forgotten import adopt, entries, fingerprint
from worldtape.storage.lake._head import tape_header
from worldtape.storage.lake._packed import copy_packed, pack_name, plain_tape
from worldtape.storage.lake._refs import named_blobs
from worldtape.storage.lake._rewrite import copy_part, notes_by_part, spoken_of
from worldtape.storage.tapes.whole import sealed_bytes

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake
    from worldtape.storage.lake._part import Part
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
    """Trajectories that were taken down, here or in a source, and do not come in."""
    forgotten: list[str] = field(default_factory=list)
    """Trajectories of this lake that a source had taken down: now they are here, too."""
    missing: list[str] = field(default_factory=list)
    """`<tape>: <blob>` of blobs that a tape names and no lake has."""
    open: list[str] = field(default_factory=list)
    """Tapes that are not sealed, packs without an index: left where they are; recover that lake and merge again."""


def merge(into: Lake, sources: Sequence[Lake], *, progress: Callable[[int, int], None] | None = None) -> Merged:
    """Copy the tapes, blobs, parts and notes of `sources` into `into`; what is there already adds nothing.

    Take-downs travel: what `into` or a source has taken down comes in from nowhere, and is taken down in `into`. A blob
    that is missing beside its tape is looked for in every source, also for tapes that are there already.

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
    work = _Merge(into, sources)
    work.forget()
    tapes = [(source, tape) for source in sources for tape in source.tapes()]
    parts = [(source, part) for source in sources for part in source.parts("transitions")]
    for done, _ in enumerate((*work.tapes(tapes), *work.parts(parts)), start=1):
        if progress is not None:
            progress(done, len(tapes) + len(parts))
    return work.report


class _Merge:
    """One merge; each method yields after every tape or part."""

    def __init__(self, into: Lake, sources: Sequence[Lake]) -> None:
        self.report = Merged()
        self._into = into
        self._sources = sources
        self._banned: set[str] = set()
        self._blobs = {store: set(store.store.names(layout.BLOBS)) for store in (into, *sources)}

    def forget(self) -> None:
        """Take over what the sources have taken down."""
        for source in self._sources:
            adopt(self._into, entries(source))
        self._banned = self._into.forgotten()
        here = {tape.trajectory_id for tape in self._into.tapes()} | self._rows() if self._banned else set()
        for name in sorted(here):
            if fingerprint(name) in self._banned:
                take_down(self._into, name, None)
                self.report.forgotten.append(name)

    def tapes(self, tapes: list[tuple[Lake, TapeRef]]) -> Iterator[None]:
        here = {tape.trajectory_id for tape in self._into.tapes() if tape.sealed}
        seen: set[str] = set()
        packed: dict[tuple[Lake, str], list[TapeRef]] = defaultdict(list)
        for source, tape in tapes:
            if fingerprint(tape.trajectory_id) in self._banned or self._in_disguise(source, tape):
                self.report.refused += tape.trajectory_id not in seen
            elif not tape.sealed or layout.PACK_FILE.fullmatch(tape.name):
                self.report.open.append(tape.path)
            else:
                self._fetch_blobs(source, tape)
                if tape.trajectory_id not in here:
                    if pack := pack_name(tape.name):
                        packed[source, pack].append(tape)
                    else:
                        self._copy(source, tape)
                    self.report.tapes += 1
                    here.add(tape.trajectory_id)
            seen.add(tape.trajectory_id)
            yield
        for (source, pack), found in packed.items():
            self._copy_pack(source, pack, found)

    def parts(self, parts: list[tuple[Lake, Part]]) -> Iterator[None]:
        moves.finish_all(self._into)
        rows = self._rows()
        notes = {source: notes_by_part(source) for source in self._sources}
        for source, part in parts:
            judged = notes[source].get(part.part_id, [])
            members = [member for member in source.members(part) if fingerprint(member) not in self._banned]
            fresh = set(members) - rows
            self.report.known += len(members) - len(fresh)
            if fresh:
                others = spoken_of(source, part, judged) - set(members) - rows
                others = {other for other in others if fingerprint(other) not in self._banned}
                copy_part(source, part, self._into, fresh | others, judged)
                rows.update(fresh)
                self.report.parts += 1
                self.report.trajectories += len(fresh)
            yield

    def _rows(self) -> set[str]:
        return {member for part in self._into.parts("trajectories") for member in self._into.members(part)}

    def _in_disguise(self, source: Lake, tape: TapeRef) -> bool:
        """Tell whether a tape is one that was taken down, under another file name."""
        if self._banned:
            with suppress(FormatError):
                return fingerprint(str(tape_header(source, tape, own=False).get("trajectory_id"))) in self._banned
        return False

    def _fetch_blobs(self, source: Lake, tape: TapeRef) -> None:
        for digest, sure in sorted(named_blobs(source, tape.name).items()):
            names = blob_files(digest)
            if self._blobs[self._into].intersection(names):
                continue
            homes = [(lake, name) for lake in (source, *self._sources) for name in names if name in self._blobs[lake]]
            if homes:
                lake, name = homes[0]
                self._into.store.copy(lake.store, name)
                self._blobs[self._into].add(name)
                self.report.blobs += 1
            elif sure:
                self.report.missing.append(f"{tape.path}: sha256:{digest}")

    def _copy(self, source: Lake, tape: TapeRef) -> None:
        name = f"{layout.tape_folder(tape.trajectory_id)}/{tape.name.rpartition('/')[2]}"
        self._into.store.copy(source.store, tape.name, name)

    def _copy_pack(self, source: Lake, pack: str, tapes: list[TapeRef]) -> None:
        """Copy these tapes as a pack of the same name, or each as a file where another pack has that name."""
        if not self._into.store.exists(pack):
            copy_packed(source, pack, self._into, {tape.trajectory_id for tape in tapes})
            return
        for tape in sorted(tapes, key=lambda tape: tape.place):
            name = f"{layout.tape_folder(tape.trajectory_id)}/{tape.trajectory_id}.jsonl.zst"
            self._into.store.write(name, sealed_bytes(plain_tape(source, tape.name)))
