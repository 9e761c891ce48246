"""What a crash leaves behind in the tables, and what becomes of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from worldtape.errors import NotFoundError
from worldtape.storage.lake import _layout as layout
from worldtape.storage.lake._moves import finish_all
from worldtape.storage.lake._store import TEMPORARY

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake
    from worldtape.storage.lake._part import Part

_STALE_S = 3600.0


@dataclass
class RecoveredParts:
    """What recovery did to the tables; names are relative to the lake."""

    orphans: list[str] = field(default_factory=list)
    """Transitions without their trajectories: removed."""
    damaged: list[str] = field(default_factory=list)
    """Files that are no readable Parquet: moved to `set-aside/`; project again to make them anew."""
    temporary: list[str] = field(default_factory=list)
    """Half-written files of writers that are gone: removed."""
    moves: int = 0
    """Replacements of parts that were finished or undone."""


def recover_parts(lake: Lake, *, stale_s: float = _STALE_S) -> RecoveredParts:
    """Remove orphans and leftovers, finish what was begun, and set damaged parts aside.

    Args:
        lake: the lake; other writers may be at work.
        stale_s: temporary files younger than this many seconds are left to their writers.
    """
    report = RecoveredParts(moves=finish_all(lake))
    report.temporary = _sweep(lake, stale_s)
    for part in [*lake.files("trajectories"), *lake.files("transitions"), *lake.note_files()]:
        if broken(lake, part):
            lake.store.move(part.name, f"{layout.SET_ASIDE}/{part.name}")
            report.damaged.append(part.name)
    report.orphans = _orphans(lake, stale_s)
    return report


def broken(lake: Lake, part: Part) -> bool:
    """Tell whether a file cannot be read: footer, pages and their checksums."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with lake.store.open(part.name) as raw, pq.ParquetFile(raw, page_checksum_verification=True) as file:
            for group in range(file.num_row_groups):
                file.read_row_group(group)
    except NotFoundError:
        return False
    except Exception as error:  # noqa: BLE001
        causes = (error, error.__cause__)
        return any(isinstance(cause, (pa.ArrowException, OSError)) for cause in causes) and lake.store.exists(part.name)
    return False


def _sweep(lake: Lake, stale_s: float) -> list[str]:
    if not lake.store.local:
        return []
    found = []
    for name in lake.store.names():
        if name.endswith(TEMPORARY) and _age(Path(lake.store.full(name))) >= stale_s:
            lake.store.remove(name)
            found.append(name)
    return found


def _orphans(lake: Lake, stale_s: float) -> list[str]:
    whole = {(part.domain, part.part_id) for part in lake.files("trajectories")}
    found = []
    for part in lake.files("transitions"):
        young = lake.store.local and _age(Path(lake.store.full(part.name))) < stale_s
        if (part.domain, part.part_id) not in whole and not young:
            lake.store.remove(part.name)
            found.append(part.name)
    return found


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return -1.0
