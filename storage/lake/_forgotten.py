"""The list of trajectories that were taken down; it names them by hash, so that no id is left."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from worldtape.errors import NotFoundError
from worldtape.storage.lake import _layout as layout

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake


def fingerprint(trajectory_id: str) -> str:
    """Return what stands for an id in the list: its SHA-256."""
    return hashlib.sha256(trajectory_id.encode()).hexdigest()


def forgotten(lake: Lake) -> set[str]:
    """Return the fingerprints of what was taken down."""
    try:
        lines = lake.store.read(layout.FORGOTTEN).decode().splitlines()
    except NotFoundError:
        return set()
    return {json.loads(line)["sha256"] for line in lines if line.strip()}


def remember(lake: Lake, trajectory_id: str, *, reason: str | None, wall_us: int) -> None:
    """Add an id to the list, once."""
    key = fingerprint(trajectory_id)
    if key in forgotten(lake):
        return
    old = lake.store.read(layout.FORGOTTEN) if lake.store.exists(layout.FORGOTTEN) else b""
    line = json.dumps({"sha256": key, "wall": wall_us, "reason": reason})
    lake.store.write(layout.FORGOTTEN, old + line.encode() + b"\n")
