"""What went in, what came out, and why the rest did not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

SHOWN = 100
"""Rejected records that a report holds for each source; all of them stand in the lake's `set-aside/import/`."""


@dataclass(slots=True)
class FormatReport:
    """What came of the files of one format."""

    files: int = 0
    bytes: int = 0
    records: int = 0
    """Trajectories found: `trajectories + present + rejected` adds up to it."""
    trajectories: int = 0
    """New in the lake."""
    transitions: int = 0
    """Theirs."""
    present: int = 0
    """The lake had them, or they were taken down there."""
    rejected: int = 0
    """Records that cannot be imported."""
    lossiness: Counter[str] = field(default_factory=Counter)
    """Code to number of new transitions that carry it."""
    orphans: Counter[str] = field(default_factory=Counter)
    """Code to number of things that belong to no transition, kept as notices."""

    def add(self, other: FormatReport) -> None:
        """Count what `other` counted."""
        for name in ("files", "bytes", "records", "trajectories", "transitions", "present", "rejected"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.lossiness += other.lossiness
        self.orphans += other.orphans

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        counts = {name: getattr(self, name) for name in ("files", "bytes", "records", "trajectories", "transitions")}
        counts |= {"present": self.present, "rejected": self.rejected}
        return counts | {
            "lossiness": dict(sorted(self.lossiness.items())),
            "orphans": dict(sorted(self.orphans.items())),
        }


@dataclass(frozen=True, slots=True, order=True)
class Quarantined:
    """A record that was not imported."""

    source: str
    locator: str
    reason: str


@dataclass(slots=True)
class ImportReport:
    """Every file is counted once: `files == imported + len(refused) + len(unknown)`."""

    files: int = 0
    """Files seen; members of archives count, archives that were opened do not."""
    imported: int = 0
    """Files that were read to their end."""
    archives: int = 0
    formats: dict[str, FormatReport] = field(default_factory=dict)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """(file, reason): of a known format and not importable, or not to be opened."""
    unknown: list[tuple[str, str]] = field(default_factory=list)
    """(file, why): of no format that is known here."""
    rejected: list[Quarantined] = field(default_factory=list)
    """At most the first 100 of each file."""
    workers: Counter[str] = field(default_factory=Counter)
    """Batches that each process (`<host>:<pid>`) read."""

    @property
    def total(self) -> FormatReport:
        """All formats together."""
        whole = FormatReport()
        for one in self.formats.values():
            whole.add(one)
        return whole

    @property
    def ok(self) -> bool:
        """Whether nothing was refused or rejected."""
        return not self.refused and not any(one.rejected for one in self.formats.values())

    def of(self, name: str) -> FormatReport:
        """Return the row of a format, begun where it is new."""
        return self.formats.setdefault(name, FormatReport())

    def add(self, other: ImportReport) -> None:
        """Count what `other` counted."""
        self.files += other.files
        self.imported += other.imported
        self.archives += other.archives
        for name, one in other.formats.items():
            self.of(name).add(one)
        self.refused += other.refused
        self.unknown += other.unknown
        self.rejected += other.rejected
        self.workers += other.workers

    def sort(self) -> None:
        """Put everything in one order, however many workers there were."""
        self.formats = dict(sorted(self.formats.items()))
        self.refused.sort()
        self.unknown.sort()
        self.rejected.sort()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return {
            "files": self.files,
            "imported": self.imported,
            "archives": self.archives,
            "formats": {name: one.to_dict() for name, one in self.formats.items()},
            "refused": [{"file": name, "reason": reason} for name, reason in self.refused],
            "unknown": [{"file": name, "why": why} for name, why in self.unknown],
            "rejected": [{"file": r.source, "locator": r.locator, "reason": r.reason} for r in self.rejected],
            "workers": dict(self.workers),
        }
