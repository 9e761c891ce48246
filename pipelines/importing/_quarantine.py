"""Records that were not imported."""

from __future__ import annotations

import shutil
import tempfile
from types import TracebackType
from typing import Self

import orjson

from worldtape.pipelines.importing._report import SHOWN, Quarantined
from worldtape.schemas import Importer, Rejected, SourceFile
from worldtape.storage import Lake

_HELD = 1 << 20
_LONGEST = 500


class Quarantine:
    """The rejected records of one source: all in `LAKE/set-aside/import/`, the first hundred in the report.

    The file is written when the block ends; one that is there stays.

    Args:
        lake: where it goes.
        source: whose records they are.
        importer: who rejected them.
    """

    def __init__(self, lake: Lake, source: SourceFile, importer: Importer) -> None:
        self.importer = importer
        self.first: list[Quarantined] = []
        self._lake = lake
        self._source = source
        self._name = f"set-aside/import/{importer.name}-{source.digest[:32]}.jsonl"
        self._lines = tempfile.SpooledTemporaryFile(_HELD)  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lines as lines:
            if not self.first or self._lake.store.exists(self._name):
                return
            lines.seek(0)
            with self._lake.store.writing(self._name) as path, path.open("wb") as target:
                shutil.copyfileobj(lines, target)

    def add(self, record: Rejected) -> None:
        """Take one."""
        reason = " ".join(record.reason.split())[:_LONGEST]
        entry = Quarantined(self._source.name, record.locator, reason)
        if len(self.first) < SHOWN:
            self.first.append(entry)
        line = {"format": self.importer.name, "file": entry.source, "digest": self._source.digest}
        self._lines.write(orjson.dumps(line | {"locator": entry.locator, "reason": reason}) + b"\n")
