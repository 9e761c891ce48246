"""Record, project, curate, build, ask."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from worldtape.errors import ComponentError
from worldtape.pipelines.build import build_cpt, build_sft
from worldtape.pipelines.curate import curate
from worldtape.pipelines.demo._place import Place, find_place
from worldtape.pipelines.demo._report import QUERY, DemoReport
from worldtape.pipelines.project import project
from worldtape.pipelines.record import JobConfig, RecordReport, record
from worldtape.storage import Lake, query

TAPES = Path(__file__).parent / "tapes"
"""A dozen tapes of our own, for machines where nothing can be recorded."""

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is, and how much there is."""


def demo(out: str | Path, *, place: Place | None = None, progress: Progress | None = None) -> DemoReport:
    """Do the whole job below `out`: `out/lake`, `out/cpt` and `out/sft`. A second call records nothing twice.

    Args:
        out: a folder, made where there is none.
        place: where to record; none: the best this machine has.
        progress: called while it works.

    Raises:
        StorageError: the folder cannot be written.
        ComponentError: Docker or namespaces went away while it recorded.
    """
    lake = Path(out) / "lake"
    tell = progress or (lambda *_: None)
    tell("looking for Docker and namespaces", 0, 1)
    place = place or find_place()
    records = [] if place.kind == "tapes" else [_record(job, lake, tell) for job in jobs(place)]
    if place.kind == "tapes":
        _ship(lake)
    projected = project(lake, workers=0, progress=_named("projecting", tell))
    curated = curate(lake, workers=0, progress=lambda stage, done, total: tell(f"curating: {stage}", done, total))
    builds = (
        build_cpt(lake, Path(out) / "cpt", workers=0, progress=_named("building cpt", tell)),
        build_sft(lake, Path(out) / "sft", workers=0, progress=_named("building sft", tell)),
    )
    answer = query(lake, QUERY).to_pylist()
    return DemoReport(place, str(lake), projected, curated, builds, answer, records)


def jobs(place: Place) -> Iterator[JobConfig]:
    """Give the demo's jobs: every task of our suite by its own solution, and a seeded explorer."""
    shared = {"environment": place.environment(), "suite": "terminal-core"}
    yield JobConfig(name="demo-tasks", policy={"kind": "script"}, **shared)
    yield JobConfig(name="demo-explore", policy={"kind": "explore"}, limit=6, repeats=2, max_steps=20, **shared)


def _record(job: JobConfig, lake: Path, tell: Progress) -> RecordReport:
    report = record(job, lake, progress=_named(f"recording {job.name}", tell))
    if report.stopped is not None:
        raise ComponentError(report.stopped, where=job.name, fix="run the demo again: it goes on with what is missing")
    return report


def _named(what: str, tell: Progress) -> Callable[[int, int], None]:
    return lambda done, total: tell(what, done, total)


def _ship(lake: Path) -> None:
    """Lay the shipped tapes into the lake, as if they had been recorded there."""
    Lake.open(lake, create=True)
    for tape in sorted(TAPES.rglob("*.jsonl.zst")):
        target = lake / "tapes" / tape.relative_to(TAPES)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tape, target)
