"""One hash for the state of a lake."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import TYPE_CHECKING

from worldtape.errors import NotFoundError, StorageError
from worldtape.storage.lake import _layout as layout

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake

_BLOCK = 1 << 20


def commit(lake: Lake) -> str:
    """Return SHA-256 over the sorted lines `<path> <SHA-256>` of the parts of both tables.

    Digests are cached beside the lake by size, time and inode (or ETag), so that only new files are read.
    """
    known = _cache(lake)
    fresh: dict[str, list[str]] = {}
    for table in layout.TABLES:
        for part in lake.parts(table):
            stamp = lake.store.stamp(part.name)
            old = known.get(part.name)
            digest = old[1] if old and stamp is not None and old[0] == stamp else _digest(lake, part.name)
            fresh[part.name] = [stamp or "", digest]
    if fresh != known:
        with suppress(StorageError):
            lake.store.write(layout.DIGESTS, json.dumps(fresh, sort_keys=True).encode())
    text = "".join(f"{name} {fresh[name][1]}\n" for name in sorted(fresh))
    return hashlib.sha256(text.encode()).hexdigest()


def _cache(lake: Lake) -> dict[str, list[str]]:
    try:
        return dict(json.loads(lake.store.read(layout.DIGESTS)))
    except (NotFoundError, ValueError):
        return {}


def _digest(lake: Lake, name: str) -> str:
    digest = hashlib.sha256()
    with lake.store.open(name) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
