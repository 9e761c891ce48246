"""Repairing the tapes of a lake after a crash."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from worldtape.errors import FormatError, NotFoundError, WorldtapeError, boundary
from worldtape.storage._disk import flush, fsync_folder, hold, is_at, local_folder
from worldtape.storage.blobs import Blobs
from worldtape.storage.tapes._append import finish
from worldtape.storage.tapes._rescue import rescue
from worldtape.storage.tapes._seal import seal_file
from worldtape.storage.tapes._survey import Survey
from worldtape.storage.tapes.clock import Clock
from worldtape.storage.tapes.pack import pack_at
from worldtape.storage.tapes.paths import OPEN, SEALED, trajectory_id_of
from worldtape.storage.tapes.report import Repair, TapesReport
from worldtape.storage.tapes.validate import validate

Progress = Callable[[int, int], None]
"""Takes how many tapes are done and how many there are."""


def recover_tapes(lake: str | Path, *, clock: Clock | None = None, progress: Progress | None = None) -> TapesReport:
    """Seal every tape of `lake` whose recorder is gone; a second run finds nothing to do.

    A torn tail is moved to `<trajectory_id>.torn` beside the tape. An interrupted tape gets a notice `recovered` and an
    end with status `interrupted`. Tapes that somebody writes and sealed tapes are left alone. Of a pack that has lost
    its index the whole tapes stay, in a new one; the damaged file is `<pack>.damaged`.

    Raises:
        NotFoundError: there is no such folder.
    """
    root = local_folder(lake)
    if not root.is_dir():
        raise NotFoundError("no lake here", where=root, fix="check the path")
    report = TapesReport()
    blobs = Blobs(root)
    paths = sorted((root / "tapes").glob(f"[0-9a-f][0-9a-f]/*{OPEN}"))
    for done, path in enumerate(paths, 1):
        try:
            _recover(path, blobs, report, clock or Clock())
        except WorldtapeError as error:
            report.problems.append(str(error))
        if progress is not None:
            progress(done, len(paths))
    report.sealed = sum(_packed(path, report) for path in sorted((root / "tapes").glob("[0-9a-f][0-9a-f]/*.pack")))
    report.sealed += sum(1 for _ in (root / "tapes").glob(f"[0-9a-f][0-9a-f]/*{SEALED}")) - len(report.repaired)
    report.sealed += sum(repair.what in {"set_aside", "leftover"} for repair in report.repaired)
    report.temporary = blobs.sweep() + sum(map(_orphan, (root / "tapes").glob(f"[0-9a-f][0-9a-f]/*{SEALED}.tmp")))
    return report


def _recover(path: Path, blobs: Blobs, report: TapesReport, clock: Clock) -> None:
    with boundary(path), _held(path) as fd:
        if fd is None:
            report.locked += path.exists()
            return
        repair = _leftover(path)
        if repair is None:
            survey = Survey(path, blobs)
            repair = _finished(path, fd, survey, clock) if survey.count else _headless(path, survey)
        report.repaired.append(repair)


def _finished(path: Path, fd: int, survey: Survey, clock: Clock) -> Repair:
    """Cut the torn tail off, write the last words, seal."""
    notice: dict[str, Any] = {"at": clock.wall_us(), "torn_bytes": survey.bad}
    if survey.damaged:
        notice["damaged_line"] = survey.count + 1
    if survey.bad:
        _set_aside(path, survey.good)
        os.ftruncate(fd, survey.good)
    ended = survey.ended
    if not ended:
        finish(fd, survey, notice)
    sealed = seal_file(path, durable=True)
    what = "sealed" if ended else "recovered"
    return Repair(trajectory_id_of(path), sealed, what, survey.count, survey.steps, survey.bad, damaged=survey.damaged)


def _leftover(path: Path) -> Repair | None:
    """Settle the case that the sealed file stands beside: the crash came just before the `.jsonl` was removed."""
    sealed = path.with_name(f"{path.name}.zst")
    if not sealed.exists():
        return None
    if validate(sealed).problems:
        sealed.rename(sealed.with_name(f"{sealed.name}.damaged"))
        return None
    path.unlink()
    return Repair(trajectory_id_of(path), sealed, "leftover")


def _headless(path: Path, survey: Survey) -> Repair:
    """Set aside a tape of which not even the header was written whole: there is nothing to project."""
    aside = _free(path)
    if survey.bad:
        path.rename(aside)
    else:
        path.unlink()
    fsync_folder(path.parent)
    return Repair(trajectory_id_of(path), aside, "set_aside", torn_bytes=survey.bad, damaged=survey.damaged)


def _set_aside(path: Path, start: int) -> None:
    aside = _free(path)
    try:
        with path.open("rb") as source, aside.open("xb") as sink:
            source.seek(start)
            shutil.copyfileobj(source, sink, 1 << 20)
            sink.flush()
            flush(sink.fileno())
    except OSError:
        aside.unlink(missing_ok=True)
        raise
    fsync_folder(path.parent)


def _free(path: Path) -> Path:
    """Return `<trajectory_id>.torn`, or with a number where a recovery was itself interrupted."""
    base = path.with_name(f"{trajectory_id_of(path)}.torn")
    number, aside = 1, base
    while aside.exists():
        number += 1
        aside = base.with_name(f"{base.name}.{number}")
    return aside


@contextmanager
def _held(path: Path) -> Iterator[int | None]:
    """Open a tape and take its lock; None where its writer lives, or has just sealed it."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    except FileNotFoundError:
        yield None
        return
    try:
        yield fd if hold(fd) and is_at(fd, path) else None
    finally:
        os.close(fd)


def _packed(path: Path, report: TapesReport) -> int:
    """Return how many tapes a pack holds; one that has lost its index is made anew of what can be read."""
    try:
        return len(pack_at(path).tapes)
    except FormatError:
        with boundary(path):
            found = rescue(path)
        what = f"the pack had no readable index: {found} of its tapes are whole, the damaged file has the end .damaged"
        report.problems.append(str(FormatError(what, where=path, fix="import its source again for the rest")))
        return found


def _orphan(temporary: Path) -> bool:
    """Remove the half-written sealed file of a tape that is gone; one beside a `.jsonl` belongs to it."""
    if temporary.with_name(temporary.name.removesuffix(".zst.tmp")).exists():
        return False
    temporary.unlink(missing_ok=True)
    return True
