"""The driver of an export."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from worldtape.errors import InputError, boundary
from worldtape.pipelines import _folder
from worldtape.pipelines._cluster import cluster, in_windows
from worldtape.pipelines._nothing import nothing_to
from worldtape.pipelines._stage import hash_of, pairs
from worldtape.pipelines.exporting._files import name_shards
from worldtape.pipelines.exporting._part import Work, export_part
from worldtape.pipelines.exporting._report import ExportReport
from worldtape.pipelines.exporting.formats import EXPORTERS
from worldtape.schemas import Exporter
from worldtape.storage import Lake, query

Progress = Callable[[int, int], None]
"""Called with (parts done, parts in all)."""

FEW = 2
"""Parts up to which a cluster costs more than it brings."""


def export(
    lake: str | os.PathLike[str] | Lake,
    out: str | os.PathLike[str],
    *,
    format: str,  # noqa: A002
    where: str | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ExportReport:
    """Write the trajectories of a projected lake in a format that other tools read.

    A trajectory that the format cannot hold is left out with its reason. The folder appears whole, and the same lake
    gives the same bytes, whatever the number of workers.

    Args:
        lake: where it lies, or an open `Lake`.
        out: a new folder, or one with an older export of the same format, which is replaced.
        format: name of the exporter (`EXPORTERS`).
        where: a condition in SQL on the columns of `trajectories`; other views may be asked in subqueries.
        scheduler: address of a Dask scheduler (`tcp://…`) whose workers see both folders.
        workers: processes of a local cluster; 0: in this process. Default: this process for up to two parts.
        progress: called after every part.

    Raises:
        NotFoundError: no lake, or no exporter of that name.
        InputError: the lake has no parts, `where` cannot be read, or `out` holds something else.
        RefusedError: `where` would do more than read.
        LockedError: another export writes to `out`.
        StorageError: the disk is full.
    """
    lake = lake if isinstance(lake, Lake) else Lake.open(lake)
    exporter: Exporter = EXPORTERS[format]()
    target = Path(out).resolve()
    _check(target, exporter)
    if not lake.parts("trajectories"):
        raise nothing_to("export", lake)
    chosen = None if where is None else _chosen(lake, where)
    facts = {"export": format, "export_version": exporter.version, "where": where, "lake_commit": lake.commit()}
    with boundary(target), _fresh(target, hash_of(facts)) as fresh:
        works = list(_works(lake, format, chosen, fresh))
        few = scheduler is None and workers is None and len(works) <= FEW
        report = _run(works, ExportReport(format), scheduler, 0 if few else workers, progress)
        if exporter.lines:
            report.files = name_shards(fresh, exporter)
        _folder.write_manifest(fresh, _folder.EXPORT, facts | {"report": report.to_dict()})
        _folder.replace(target, fresh)
    return report


def _check(target: Path, exporter: Exporter) -> None:
    manifest = _folder.standing(target, _folder.EXPORT)
    if manifest is not None and manifest["export"] != exporter.name:
        what = f"the folder holds an export in the format {manifest['export']!r} and is left as it is"
        raise InputError(what, where=target, fix="give each format a folder of its own")


@contextmanager
def _fresh(target: Path, fingerprint: str) -> Iterator[Path]:
    """Give an empty folder beside `target`; nothing of it stays where the export fails."""
    with _folder.workshop(target, fingerprint) as folder:
        try:
            shutil.rmtree(folder / "export", ignore_errors=True)
            (folder / "export").mkdir()
            yield folder / "export"
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def _works(lake: Lake, name: str, chosen: set[str] | None, folder: Path) -> Iterator[Work]:
    for number, pair in enumerate(pairs(lake)):
        ids = None if chosen is None else tuple(key for key in lake.members(pair.trajectories) if key in chosen)
        if ids != ():
            yield Work(lake, pair.trajectories, pair.transitions, ids, number, name, str(folder))


def _chosen(lake: Lake, where: str) -> set[str]:
    """Return the ids of the trajectories that `where` holds for; the line ends keep a comment in it to itself."""
    found = query(lake, f"SELECT trajectory_id FROM trajectories WHERE (\n{where}\n)")  # noqa: S608
    return set(found["trajectory_id"].to_pylist())


def _run(
    works: list[Work], report: ExportReport, scheduler: str | None, workers: int | None, progress: Progress | None
) -> ExportReport:
    with cluster(scheduler, workers) as client:
        for done, (_, part) in enumerate(in_windows(client, export_part, works), start=1):
            report.add(part)
            if progress is not None:
                progress(done, len(works))
    return report
