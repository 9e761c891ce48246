"""The engine of curation: a stage says something about every part, in a note of its own.

A note is written anew exactly when the stage's code version or configuration, the part, or what the stage read of other
notes has changed. What that was stands in the metadata of the note's Parquet file: `worldtape.settings` is the same for
all notes of a stage, `worldtape.input` is the part's own.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from worldtape.errors import NotFoundError, WorldtapeError
from worldtape.pipelines._cluster import in_windows
from worldtape.schemas import canonical_json
from worldtape.storage import Lake
from worldtape.storage.lake import Part

if TYPE_CHECKING:
    import polars as pl

SETTINGS = b"worldtape.settings"
"""Metadata of a note: the hash of its stage's code version and configuration."""
INPUT = b"worldtape.input"
"""Metadata of a note: the hash of the part, and of what was read of other notes."""
SEAL_FILE = "notes/sealed.json"
"""Says that all notes are those of one curation; gone from the first note that is written to the end of the last."""
Progress = Callable[[str, int, int], None]
"""Called with (stage, parts done, parts to do)."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One part: its two tables, and the SHA-256 of both files."""

    part_id: str
    domain: str
    trajectories: Part
    transitions: Part
    digest: str


@dataclass(frozen=True, slots=True)
class Context:
    """What a stage's function works on."""

    lake: Lake
    pair: Pair
    config: Any
    shared: tuple[str, ...] = ()
    """Names of files in the lake that hold what was found out over all parts."""

    def note(self, stage: str) -> pl.DataFrame:
        """Return what another stage said of this part."""
        from worldtape.storage.lake._layout import note_path

        name = note_path(stage, self.pair.part_id)
        return self.lake.read(Part(stage, None, self.pair.part_id, self.lake.store.path(name), name))


@dataclass(frozen=True, slots=True)
class Stage:
    """A named, versioned function from a part to a note.

    Args:
        name: of the note, and of its view in SQL.
        version: raise it when the same input gives another note.
        run: an importable function; it gives the note's rows, beginning with `trajectory_id` and `step`.
        config: settings that decide about the note (a pydantic model).
        needs: stages whose notes of the same part are read.
        shared: files in the lake that are read, besides; `shared_digest` must change whenever they do.
    """

    name: str
    version: str
    run: Callable[[Context], pl.DataFrame]
    config: Any
    needs: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    shared_digest: str = ""

    @property
    def settings(self) -> str:
        """Return the hash of what holds for every part."""
        return _hash(self.name, self.version, self.config.model_dump(mode="json"))


@dataclass(slots=True)
class StageReport:
    """How many notes a stage wrote, and how many were there already."""

    stage: str
    ran: int = 0
    kept: int = 0
    workers: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Work:
    stage: Stage
    context: Context
    settings: str
    input: str


class Stages:
    """Runs stages one after the other over the parts of a lake.

    Args:
        lake: the lake.
        client: what `cluster` gave.
        progress: called after every part.

    Attributes:
        pairs: the parts, sorted.
        commit: of the lake that they were found in.
        made: (stage, part) to (settings, input): everything that decided about the note, as its metadata says it.
        reports: of every stage that was run.
    """

    def __init__(self, lake: Lake, client: Any, progress: Progress | None = None) -> None:
        self.lake = lake
        self.client = client
        self.commit = lake.commit()
        self.pairs = pairs(lake)
        self.made: dict[tuple[str, str], tuple[str, str]] = {}
        self.reports: list[StageReport] = []
        self._progress = progress

    def run(self, stage: Stage) -> StageReport:
        """Write every note of `stage` that is missing or out of date."""
        report = StageReport(stage.name)
        works = []
        settings = stage.settings
        for pair in self.pairs:
            needed = [_hash(*self.made[name, pair.part_id]) for name in stage.needs]
            given = _hash(pair.digest, stage.shared_digest, *needed)
            self.made[stage.name, pair.part_id] = (settings, given)
            if made_of(self.lake, stage.name, pair.part_id) == (settings, given):
                report.kept += 1
            else:
                context = Context(self.lake, pair, stage.config, stage.shared)
                works.append(_Work(stage, context, settings, given))
        if works:
            self.lake.store.remove(SEAL_FILE)
        for worker in self.each(stage.name, write_note, works):
            report.ran += 1
            report.workers[worker] += 1
        self.reports.append(report)
        return report

    def each(self, name: str, task: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        """Run a task on every item and yield the results as they are done."""
        for done, (_, result) in enumerate(in_windows(self.client, task, items), start=1):
            if self._progress is not None:
                self._progress(name, done, len(items))
            yield result

    def tidy(self, *stages: Stage) -> None:
        """Remove the shared files of earlier runs; they lie in `.cache/<stage>/`."""
        for stage in stages:
            for name in self.lake.store.names(f".cache/{stage.name}"):
                if name not in stage.shared:
                    self.lake.store.remove(name)

    def digest(self, *stages: str) -> str:
        """Return the hash of all notes of `stages`."""
        return _hash(*(_hash(*self.made[stage, pair.part_id]) for stage in stages for pair in self.pairs))


def made_of(lake: Lake, stage: str, part_id: str) -> tuple[str | None, str | None]:
    """Return the settings and the input that a note's metadata tells; nulls where it is missing or says nothing."""
    import pyarrow.parquet as pq

    from worldtape.storage.lake._layout import note_path

    name = note_path(stage, part_id)
    if not lake.store.exists(name):
        return None, None
    try:
        with lake.store.open(name) as file:
            found = pq.read_schema(file).metadata or {}
    except WorldtapeError:
        return None, None
    settings, given = (found.get(key) for key in (SETTINGS, INPUT))
    return settings and settings.decode(), given and given.decode()


def write_note(work: _Work) -> str:
    """Run a stage on one part, on a worker, and return which process that was."""
    rows = work.stage.run(work.context).to_arrow()
    metadata = {SETTINGS: work.settings.encode(), INPUT: work.input.encode()}
    work.context.lake.write_note(work.stage.name, work.context.pair.part_id, rows.replace_schema_metadata(metadata))
    return f"{socket.gethostname()}:{os.getpid()}"


def pairs(lake: Lake) -> list[Pair]:
    """Return the parts of a lake with their digests."""
    lake.commit()
    known = _digests(lake)
    heads = {(part.domain, part.part_id): part for part in lake.parts("trajectories")}
    bodies = {(part.domain, part.part_id): part for part in lake.parts("transitions")}
    found = []
    for key in sorted(heads, key=str):
        files = (heads[key].name, bodies[key].name)
        digest = _hash(*(known.get(name) or _sha256(lake, name) for name in files))
        found.append(Pair(key[1], str(key[0]), heads[key], bodies[key], digest))
    return found


def _digests(lake: Lake) -> dict[str, str]:
    from worldtape.storage.lake._layout import DIGESTS

    try:
        known: dict[str, list[str]] = json.loads(lake.store.read(DIGESTS))
    except (NotFoundError, ValueError):
        return {}
    return {name: digest for name, (_, digest) in known.items()}


def _sha256(lake: Lake, name: str) -> str:
    with lake.store.open(name) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def hash_of(value: Any) -> str:
    """Return SHA-256 over a value as canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def _hash(*values: Any) -> str:
    return hash_of(values)
