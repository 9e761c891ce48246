"""The driver of an import."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from worldtape.errors import InputError
from worldtape.pipelines._cluster import Inline, cluster, in_windows
from worldtape.pipelines.importing._batch import Batch, batches, import_batch
from worldtape.pipelines.importing._report import ImportReport
from worldtape.pipelines.importing._sniff import load_importers
from worldtape.pipelines.importing._walk import walk
from worldtape.storage import Lake

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes to do)."""

FEW = 64 << 20
"""Bytes of sources up to which a cluster costs more than it brings."""
_WARM = ("zstandard", "worldtape.pipelines.importing._batch", "worldtape.collectors.renderers")


def import_files(
    paths: Sequence[str | os.PathLike[str]],
    lake: str | os.PathLike[str] | Lake,
    *,
    format: str | None = None,  # noqa: A002
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Import what others recorded: every trajectory becomes a tape of the lake; project them afterwards.

    The format of a file is told from its first bytes. A file that no importer knows is listed, one that cannot be
    imported is refused with its reason, a bad record in it is set aside, and the rest goes on. Importing a file again
    adds nothing. Nothing waits for the disk in between; each batch of files is safe against a crash of the machine at
    its end, and an import that was killed is simply run again.

    Args:
        paths: files, folders (recursively), archives (zip, tar, gz, zst, xz), `-` for standard input.
        lake: a local folder, made where there is none, or an open `Lake`.
        format: name of the importer: for files that are given by name without asking it, elsewhere for those it knows.
        workers: processes of a local cluster; 0: in this process. Default: this process for less than 64 MiB.
        scheduler: address of a Dask scheduler (`tcp://…`) whose workers see the files and the lake.
        progress: called as bytes are read.

    Raises:
        NotFoundError: a path, or an importer of that name, is not there.
        InputError: nothing was given, or the lake lies on an object store.
        StorageError: the lake cannot be written; what is imported is kept.
    """
    load_importers(format)
    with tempfile.TemporaryDirectory(prefix="worldtape-") as spool:
        where = lake.store.root if isinstance(lake, Lake) else os.fspath(lake)
        found = walk(paths, where, Path(spool))
        lake = lake if isinstance(lake, Lake) else Lake.open(lake, create=True)
        if not lake.store.local:
            raise InputError("tapes are written to a local folder", where=lake, fix="import there, then merge it")
        report = ImportReport(refused=found.refused, unknown=found.unknown)
        report.files = len(found.refused) + len(found.unknown)
        work = list(batches(lake, found.files, format))
        few = sum(batch.bytes for batch in work) < FEW or len(work) == 1
        streams = any(given.root == spool for given in found.files)
        workers = 0 if streams or (scheduler is None and workers is None and few) else workers
        _run(work, report, None if streams else scheduler, workers, progress)
    report.sort()
    return report


def _run(
    work: list[Batch], report: ImportReport, scheduler: str | None, workers: int | None, progress: Progress | None
) -> None:
    total = sum(batch.bytes for batch in work)
    done = 0

    def tick(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(min(done, total), total)

    with cluster(scheduler, workers, warm=_WARM) as client:
        inline = isinstance(client, Inline)
        task = partial(import_batch, tick=tick) if inline else import_batch
        for batch, part in in_windows(client, task, work):
            report.add(part)
            if not inline:
                tick(batch.bytes)
    if progress is not None:
        progress(total, total)
