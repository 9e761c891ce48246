"""What recovery must know of an unsealed tape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldtape.errors import FormatError, NotFoundError
from worldtape.schemas import EventKind, upgrader
from worldtape.storage.blobs import Blobs
from worldtape.storage.tapes._scan import Scan


class Survey:
    """One pass over a `.jsonl`: how much of it is good, and how far it came.

    Attributes:
        good: bytes of the prefix to keep; it also ends before an event whose blob never reached the disk.
        count: events in it.
        bad: bytes after it.
        damaged: the kept prefix is followed by whole events, or by one whose blob is not there.
        steps: actions in it.
        ended: it has its end.
        recovered: its last event is the notice of an earlier recovery.

    Raises:
        VersionError: a newer major version wrote it.
    """

    def __init__(self, path: Path, blobs: Blobs) -> None:
        self.good = self.count = self.steps = self.wall = self.mono = 0
        self.ended = self.recovered = self.damaged = False
        with path.open("rb") as file:
            scan = Scan(file, path)
            for raw in scan:
                if not self._take(raw, blobs, path):
                    self.damaged = True
                    break
                self.good = scan.good
        self.damaged = self.damaged or scan.damaged
        self.bad = path.stat().st_size - self.good

    def _take(self, raw: dict[str, Any], blobs: Blobs, path: Path) -> bool:
        kind, data = raw["kind"], raw["data"]
        if self.count == 0:
            if kind != EventKind.HEADER:
                return False
            upgrader(str(data.get("schema_version")), where=path)
        if "blob" in data and kind == EventKind.DATA and not _whole(blobs, data):
            return False
        self.count += 1
        self.steps += kind == EventKind.ACTION
        self.ended = kind == EventKind.END
        self.recovered = kind == EventKind.NOTICE and data.get("code") == "recovered"
        self.wall, self.mono = raw["wall"], raw["mono"]
        return True


def _whole(blobs: Blobs, data: dict[str, Any]) -> bool:
    try:
        blobs.get(str(data["blob"]), int(data["bytes"]))
    except (FormatError, NotFoundError, KeyError, TypeError, ValueError):
        return False
    return True
