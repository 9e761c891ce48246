"""Repairing a lake after a crash: its tapes, then its tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worldtape.storage.lake import Lake
from worldtape.storage.lake._recover import RecoveredParts, recover_parts
from worldtape.storage.tapes import TapesReport, recover_tapes


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was repaired."""

    tapes: TapesReport
    parts: RecoveredParts


def recover(uri: str, *, progress: Callable[[int, int], None] | None = None) -> Recovered:
    """Repair the lake at `uri`; a second run finds nothing to do.

    Args:
        uri: a folder, or an object store's address, where every tape is sealed and only the tables need repair.
        progress: takes how many tapes are done and how many there are.

    Raises:
        NotFoundError: there is no lake.
    """
    lake = Lake.open(uri)
    tapes = recover_tapes(lake.store.root, progress=progress) if lake.store.local else TapesReport()
    return Recovered(tapes, recover_parts(lake))
