"""One source, with everything that can be wrong about it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from worldtape.errors import ComponentError, FormatError, StorageError, WorldtapeError
from worldtape.pipelines.importing._archive import archive_kind, unpacked
from worldtape.pipelines.importing._limits import DEEPEST, Meter
from worldtape.pipelines.importing._quarantine import Quarantine
from worldtape.pipelines.importing._raw import Raw
from worldtape.pipelines.importing._report import FormatReport, ImportReport
from worldtape.pipelines.importing._sniff import claim, describe, failure
from worldtape.pipelines.importing._source import Source
from worldtape.pipelines.importing._write import Counts, Place, write
from worldtape.schemas import Imported, Importer, Rejected, derived_id
from worldtape.storage import Lake, Shelf

_FATAL = (StorageError, ComponentError)
"""What ends the whole import: the lake or this machine is in trouble, not the source."""


@dataclass(slots=True)
class Reading:
    """Imports sources into one lake and counts what happens.

    Args:
        lake: where they go.
        importers: those that may be used.
        report: counts everything.
        forced: use the only importer for files that were named, without asking it.
    """

    lake: Lake
    importers: Mapping[str, Importer]
    report: ImportReport
    forced: bool = False

    def source(self, source: Source, *, named: bool = False, depth: int = 0, meter: Meter | None = None) -> None:
        """Import a source, or the members of the archive that it is.

        Raises:
            StorageError: the lake cannot be written.
        """
        forced = next(iter(self.importers.values())) if self.forced and named else None
        kind = archive_kind(source.head)
        try:
            importer = None
            if kind in (None, "zip"):  # some formats are zip files themselves
                importer = forced if forced is not None and kind is None else claim(source, self.importers)
            if importer is None and kind is not None:
                self._archive(source, depth, meter)
                return
        except _FATAL:
            raise
        except WorldtapeError as error:
            self.refuse(source.name, error)
            return
        self.report.files += 1
        if importer is None:
            self.report.unknown.append((source.name, describe(source.head)))
        else:
            self._file(source, importer)

    def refuse(self, name: str, error: WorldtapeError) -> None:
        """Count a file that cannot be imported."""
        where = None if error.where == name else error.where
        told = type(error)(error.what, where=where, fix=error.fix)
        self.report.files += 1
        self.report.refused.append((name, str(told)))

    def _archive(self, source: Source, depth: int, meter: Meter | None) -> None:
        if depth > DEEPEST:
            self.report.files += 1
            self.report.unknown.append((source.name, "an archive, too deep inside other archives"))
            return
        inner = Meter(meter)
        with unpacked(source, inner) as box:
            self.report.archives += 1
            for name, why in box.refused:
                self.report.files += 1
                self.report.refused.append((f"{source.name}/{name}", why))
            for name, _ in box.members:
                shown = source.name if box.single else f"{source.name}/{name}"
                self.source(Source(box, name, name=shown), depth=depth + 1, meter=inner)
            if box.cut:
                self.refuse(source.name, FormatError("it is cut short: what stands before the cut was read"))

    def _file(self, source: Source, importer: Importer) -> None:
        row = self.report.of(importer.name)
        try:
            with Quarantine(self.lake, source, importer) as aside:
                found = self._records(source, importer, row, aside)
                self.report.rejected += aside.first
        except _FATAL:
            raise
        except WorldtapeError as error:
            self.report.files -= 1
            self.refuse(source.name, error)
            return
        except Exception as error:  # noqa: BLE001
            self.report.refused.append((source.name, failure(importer.name, error)))
            return
        if not found:
            self.report.refused.append((source.name, f"{importer.name} finds no trajectory in it"))
            return
        row.files += 1
        row.bytes += source.size
        self.report.imported += 1

    def _records(self, source: Source, importer: Importer, row: FormatReport, aside: Quarantine) -> int:
        shelf = Shelf(Path(self.lake.store.root), _key(importer.name, source.digest), self.lake.blobs)
        place = Place(shelf, importer, source)
        banned = self.lake.forgotten()
        found = 0
        with closing(Raw(source, self.lake.blobs)) as raw, shelf:
            for record in importer.read(source):
                found += 1
                row.records += 1
                if isinstance(record, Rejected):
                    row.rejected += 1
                    aside.add(record)
                    continue
                trajectory_id = derived_id(importer.name, source.digest, record.locator)
                if (banned and _fingerprint(trajectory_id) in banned) or trajectory_id in shelf:
                    row.present += 1
                    continue
                with _rejecting(record, row, aside):
                    _count(row, write(place, trajectory_id, record, raw.keep(record.locator)))
        return found


@contextmanager
def _rejecting(record: Imported, row: FormatReport, aside: Quarantine) -> Iterator[None]:
    """Turn what one record's steps raise into a rejected record."""
    try:
        yield
    except _FATAL:
        raise
    except WorldtapeError as error:
        row.rejected += 1
        aside.add(Rejected(record.locator, str(error)))
    except Exception as error:  # noqa: BLE001
        row.rejected += 1
        aside.add(Rejected(record.locator, failure(aside.importer.name, error)))


def _count(row: FormatReport, counts: Counts | None) -> None:
    if counts is None:
        row.present += 1
        return
    row.trajectories += 1
    row.transitions += counts.transitions
    row.lossiness += counts.lossiness
    row.orphans += counts.orphans


def _fingerprint(trajectory_id: str) -> str:
    return hashlib.sha256(trajectory_id.encode()).hexdigest()


def _key(importer: str, digest: str) -> str:
    return hashlib.sha256(f"{importer}\x1f{digest}".encode()).hexdigest()[:32]
