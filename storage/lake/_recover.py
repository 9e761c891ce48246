"""What a crash leaves behind in the tables, and what becomes of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from worldtape.errors import LockedError, NotFoundError
from worldtape.storage._disk import TEMPORARY
from worldtape.storage.lake import _layout as layout
from worldtape.storage.lake._alone import alone
from worldtape.storage.lake._moves import finish_all
from worldtape.storage.lake._read import twin
from worldtape.storage.lake._repeats import cut_repeats

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
    repeated: list[str] = field(default_factory=list)
    """Parts with trajectories that stand in another part too: these were cut out of them, or the whole part removed."""
    moves: int = 0
    """Replacements of parts that were finished or undone."""


def recover_parts(lake: Lake, *, stale_s: float = _STALE_S) -> RecoveredParts:
    """Remove orphans and leftovers, finish what was begun, and set damaged parts aside.

    Other writers may be at work: their files are locked, and on an object store, which has no locks, only orphans older
    than `stale_s` seconds are removed.
    """
    report = RecoveredParts(moves=finish_all(lake))
    report.temporary = _sweep(lake)
    for part in [*lake.files("trajectories"), *lake.files("transitions"), *lake.note_files()]:
        if broken(lake, part):
            lake.store.move(part.name, f"{layout.SET_ASIDE}/{part.name}")
            report.damaged.append(part.name)
    report.orphans = _orphans(lake, stale_s)
    report.repeated = _repeated(lake)
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


def _sweep(lake: Lake) -> list[str]:
    names = [name for name in lake.store.names() if name.endswith(TEMPORARY)] if lake.store.local else []
    gone = [name for name in names if lake.store.abandoned(name)]
    for name in gone:
        lake.store.remove(name)
    return gone


def _orphans(lake: Lake, stale_s: float) -> list[str]:
    whole = {(part.domain, part.part_id) for part in lake.files("trajectories")}
    found = []
    for part in lake.files("transitions"):
        if (part.domain, part.part_id) in whole or _awaited(lake, part, stale_s):
            continue
        if not lake.store.exists(twin(lake, part, "trajectories").name):
            lake.store.remove(part.name)
            found.append(part.name)
    return found


def _awaited(lake: Lake, part: Part, stale_s: float) -> bool:
    """Tell whether the writer of a lone transitions part may still bring its trajectories."""
    if not lake.store.local:
        return lake.store.age_s(part.name) < stale_s
    begun = f"/.part-{part.part_id}.parquet."
    names = [name for name in lake.store.names("trajectories") if begun in name and name.endswith(TEMPORARY)]
    return not all(lake.store.abandoned(name) for name in names)


def _repeated(lake: Lake) -> list[str]:
    """Cut what stands in several parts out of all but one, unless somebody is changing the parts just now."""
    with suppress(LockedError), alone(lake):
        return cut_repeats(lake)
    return []
