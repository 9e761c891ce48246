"""The list of trajectories that were taken down; it names them by hash, so that no id is left."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import TYPE_CHECKING

from worldtape.errors import NotFoundError
from worldtape.storage.lake import _layout as layout

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake


def fingerprint(trajectory_id: str) -> str:
    """Return what stands for an id in the list: its SHA-256."""
    return hashlib.sha256(trajectory_id.encode()).hexdigest()


def forgotten(lake: Lake) -> set[str]:
    """Return the fingerprints of what was taken down; a torn last line counts as not written."""
    return set(entries(lake))


def entries(lake: Lake) -> dict[str, bytes]:
    """Return the lines of the list by fingerprint, as they stand, without their line feed."""
    try:
        lines = lake.store.read(layout.FORGOTTEN).split(b"\n")
    except NotFoundError:
        return {}
    found = {}
    for line in lines[:-1]:
        with suppress(ValueError, KeyError, TypeError):
            found[str(json.loads(line)["sha256"])] = line
    return found


def remember(lake: Lake, trajectory_id: str, *, reason: str | None, wall_us: int) -> None:
    """Add an id to the list, once; it stands there when this returns.

    An object store cannot append: two take-downs at the same moment there may lose one line, so do them one by one.
    """
    key = fingerprint(trajectory_id)
    line = json.dumps({"sha256": key, "wall": wall_us, "reason": reason})
    adopt(lake, {key: line.encode()})


def adopt(lake: Lake, lines: dict[str, bytes]) -> set[str]:
    """Add the lines of another list that are not in this one, and return their fingerprints."""
    fresh = lines.keys() - forgotten(lake)
    if fresh:
        lake.store.append(layout.FORGOTTEN, b"".join(lines[key] + b"\n" for key in sorted(fresh)))
    return set(fresh)
