"""Record, project, curate, build, ask."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from worldtape.errors import ComponentError
from worldtape.pipelines.build import build_cpt, build_sft
from worldtape.pipelines.curate import curate
from worldtape.pipelines.demo._jobs import jobs
from worldtape.pipelines.demo._place import Place, find_place
from worldtape.pipelines.demo._report import QUERY, DemoReport
from worldtape.pipelines.project import project
from worldtape.pipelines.record import JobConfig, RecordReport, record
from worldtape.storage import Lake, query

TAPES = Path(__file__).parent / "tapes"
"""Tapes of our own, a folder for each domain, for machines where it cannot be recorded. Those of browsers were made by
jobs with `html: false`, `screenshot: none` and `bodies: none`: small, and without blobs."""

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
        ComponentError: Docker, namespaces or the browser went away while it recorded.
    """
    lake = Path(out) / "lake"
    tell = progress or (lambda *_: None)
    tell("looking for Docker, namespaces and a browser", 0, 1)
    place = place or find_place()
    records = [_record(job, lake, tell) for job in jobs(place)]
    for domain in place.shipped:
        _ship(domain, lake)
    projected = project(lake, workers=0, progress=_named("projecting", tell))
    curated = curate(lake, workers=0, progress=lambda stage, done, total: tell(f"curating: {stage}", done, total))
    builds = (
        build_cpt(lake, Path(out) / "cpt", workers=0, progress=_named("building cpt", tell)),
        build_sft(lake, Path(out) / "sft", workers=0, progress=_named("building sft", tell)),
    )
    answer = query(lake, QUERY).to_pylist()
    return DemoReport(place, str(lake), projected, curated, builds, answer, records)


def _record(job: JobConfig, lake: Path, tell: Progress) -> RecordReport:
    report = record(job, lake, progress=_named(f"recording {job.name}", tell))
    if report.stopped is not None:
        raise ComponentError(report.stopped, where=job.name, fix="run the demo again: it goes on with what is missing")
    return report


def _named(what: str, tell: Progress) -> Callable[[int, int], None]:
    return lambda done, total: tell(what, done, total)


def _ship(domain: str, lake: Path) -> None:
    """Lay the shipped tapes of a domain into the lake, as if they had been recorded there."""
    Lake.open(lake, create=True)
    folder = TAPES / domain
    for tape in sorted(folder.rglob("*.jsonl.zst")):
        target = lake / "tapes" / tape.relative_to(folder)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tape, target)
