"""Some files: the task that runs on a worker."""

from __future__ import annotations

import ctypes
import os
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldtape.errors import InputError, RefusedError, boundary
from worldtape.pipelines._garbage import rarely_collecting
from worldtape.pipelines.importing._read import Reading
from worldtape.pipelines.importing._report import ImportReport
from worldtape.pipelines.importing._sniff import load_importers
from worldtape.pipelines.importing._source import Folder, Source
from worldtape.pipelines.importing._walk import Given
from worldtape.storage import Lake

BYTES = 8 << 20
FILES = 128
_SHARES = 32
"""Batches that even a small import is cut into, so that several workers have their share of it."""
_LEAST = 512 << 10


@dataclass(frozen=True, slots=True)
class Batch:
    """Files that one task imports."""

    lake: Lake
    files: tuple[Given, ...]
    format: str | None

    @property
    def bytes(self) -> int:
        """Their size together."""
        return sum(given.size for given in self.files)


def batches(lake: Lake, files: Sequence[Given], wanted: str | None) -> Iterator[Batch]:
    """Give the files in their order, at most 128 and about 8 MiB at once, less where they are few."""
    most = min(BYTES, max(_LEAST, sum(given.size for given in files) // _SHARES))
    group: list[Given] = []
    size = 0
    for given in files:
        if group and (len(group) >= FILES or size + given.size > most):
            yield Batch(lake, tuple(group), wanted)
            group, size = [], 0
        group.append(given)
        size += given.size
    if group:
        yield Batch(lake, tuple(group), wanted)


def import_batch(batch: Batch, tick: Callable[[int], None] | None = None) -> ImportReport:
    """Import the files of one batch; what was written survives a crash of the machine when this returns."""
    report = ImportReport(workers=Counter({f"{socket.gethostname()}:{os.getpid()}": 1}))
    reading = Reading(batch.lake, load_importers(batch.format), report, forced=batch.format is not None)
    with rarely_collecting():
        _read(batch, reading, tick)
    if any(row.trajectories for row in report.formats.values()):
        settle(Path(batch.lake.store.root))
    return report


def _read(batch: Batch, reading: Reading, tick: Callable[[int], None] | None) -> None:
    boxes: dict[str, Folder] = {}
    for given in batch.files:
        box = boxes.get(given.root) or boxes.setdefault(given.root, Folder(Path(given.root)))
        name = (given.name or given.inner).encode("utf-8", "replace").decode()
        try:
            source = Source(box, given.inner, name=name, tick=tick)
        except (InputError, RefusedError) as error:
            reading.refuse(name, error)
            continue
        reading.source(source, named=given.named)


def settle(folder: Path) -> None:
    """Make everything on the file system of `folder` survive a crash of the machine."""
    with boundary(folder):
        handle = os.open(folder, os.O_RDONLY)
        try:
            syncfs = getattr(ctypes.CDLL(None), "syncfs", None)
            if syncfs is None or syncfs(handle) != 0:
                os.sync()
        finally:
            os.close(handle)
