"""One task of a build: a part of the lake becomes one file of rows per split."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from worldtape.pipelines.build._config import CptConfig, SftConfig
from worldtape.pipelines.build._counts import Counts
from worldtape.pipelines.build._cpt import cpt_rows
from worldtape.pipelines.build._input import TRAJECTORY_COLUMNS, TRANSITION_COLUMNS, recordings
from worldtape.pipelines.build._notes import read_notes
from worldtape.pipelines.build._recording import Recording
from worldtape.pipelines.build._rows import RowWriter
from worldtape.pipelines.build._schema import SPLITS, Corpus
from worldtape.pipelines.build._sft import sft_rows
from worldtape.pipelines.build._tokens import Counter, make_counter

if TYPE_CHECKING:
    from worldtape.storage import Lake
    from worldtape.storage.lake import Part

ROWS: dict[str, Callable[..., Iterator[dict[str, Any]]]] = {"cpt": cpt_rows, "sft": sft_rows}


@dataclass(frozen=True, slots=True)
class Work:
    """Everything a task needs, as names and settings."""

    corpus: Corpus
    lake: Lake
    commit: str
    trajectories: Part
    transitions: Part
    notes: tuple[Part, ...]
    config: CptConfig | SftConfig
    folder: str
    """Where the pieces go."""

    def path(self, split: str) -> Path:
        """Return the file of one split; it is missing where the split has no row."""
        return Path(self.folder) / f"{self.transitions.domain}-{self.transitions.part_id}.{split}.parquet"

    @property
    def done(self) -> Path:
        """The counts; written last, so that a piece whose counts are there is whole."""
        return Path(self.folder) / f"{self.transitions.domain}-{self.transitions.part_id}.json"


def build_piece(work: Work) -> dict[str, dict[str, int]]:
    """Write the rows of one part and return the counts; a piece that is there already is not made again."""
    if work.done.exists():
        counted: dict[str, dict[str, int]] = orjson.loads(work.done.read_bytes())
        return counted
    counts = Counts()
    counter = make_counter(work.config.tokenizer)
    writers = {split: RowWriter(work.path(split), work.corpus, work.config.group_bytes) for split in SPLITS}
    try:
        for recording in _recordings(work, counts):
            rows = 0
            for row in ROWS[work.corpus](recording, work.config, counter, counts):
                whole = row | _provenance(recording, work, counter)
                writers[recording.split].add(whole)
                _tally(recording.split, whole, counts)
                rows += 1
            counts.add(*(("kept", "trajectories") if rows else ("trajectories_dropped", "no row")))
        for writer in writers.values():
            writer.close()
    except BaseException:
        for writer in writers.values():
            writer.discard()
        raise
    plain = counts.plain()
    _write(work.done, orjson.dumps(plain))
    return plain


def _recordings(work: Work, counts: Counts) -> Iterator[Recording]:
    trajectories = work.lake.read(work.trajectories, TRAJECTORY_COLUMNS)
    transitions = work.lake.read(work.transitions, TRANSITION_COLUMNS)
    notes = read_notes(work.lake, work.notes)
    yield from recordings(trajectories, transitions, notes, pool=work.corpus, counts=counts)


def _provenance(recording: Recording, work: Work, counter: Counter) -> dict[str, Any]:
    kept = ("trajectory_id", "domain", "task_id", "policy_kind", "licence")
    return {
        **{name: recording.row[name] for name in kept},
        "renderer": recording.renderer,
        "token_counter": counter.name,
        "lake_commit": work.commit,
    }


def _tally(split: str, row: dict[str, Any], counts: Counts) -> None:
    counts.add("rows", split)
    counts.add("tokens", split, row["tokens"])
    counts.add("trained_tokens", split, row["trained_tokens"])
    for name in ("domain", "template", "licence", "policy_kind", "token_counter"):
        counts.add(name, row[name])


def _write(path: Path, data: bytes) -> None:
    draft = path.with_suffix(".tmp")
    draft.write_bytes(data)
    draft.replace(path)
