"""Tapes that stand in packs, as files of their own do."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from worldtape.errors import FormatError, NotFoundError
from worldtape.storage.lake import _layout as layout
from worldtape.storage.lake._tape_ref import TapeRef
from worldtape.storage.tapes.pack import Pack, pack_at, repack

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake

_BLOCK = 1 << 16
"""Bytes that an object store sends beyond those that are asked for."""
_newest: WeakKeyDictionary[Lake, tuple[tuple[str, str | None], Pack]] = WeakKeyDictionary()
"""The pack that was read last of each lake on an object store."""


def pack_name(tape: str) -> str | None:
    """Return the pack that a tape's name leads into; null where it has a file of its own."""
    pack = tape.rpartition("/")[0]
    return pack if layout.PACK_FILE.fullmatch(pack) else None


def open_pack(lake: Lake, name: str) -> Pack:
    """Return a pack of the lake.

    Raises:
        NotFoundError: it is not there.
        FormatError: it is damaged.
    """
    if lake.store.local:
        return pack_at(Path(lake.store.full(name)))
    store = lake.store
    stamp = name, store.stamp(name)
    if lake not in _newest or _newest[lake][0] != stamp:
        _newest[lake] = stamp, Pack(lambda: store.open(name, block=_BLOCK), store.path(name))
    return _newest[lake][1]


def packed_tapes(lake: Lake, name: str) -> Iterator[TapeRef]:
    """Yield the tapes of a pack."""
    for tape in open_pack(lake, name).tapes.values():
        inner = f"{name}/{tape.trajectory_id}"
        path, place = lake.store.path(inner), (name, tape.number)
        yield TapeRef(tape.trajectory_id, path, True, inner, tape.domain, tape.bytes, place)


def packed_or_itself(lake: Lake, name: str) -> list[TapeRef]:
    """Return the tapes of a pack; of one without an index itself, for whoever reads it to say why it cannot."""
    try:
        return list(packed_tapes(lake, name))
    except FormatError:
        return [TapeRef(name.rpartition("/")[2], lake.store.path(name), True, name)]
    except NotFoundError:  # taken away meanwhile
        return []


def plain_tape(lake: Lake, tape: str) -> bytes:
    """Return the plain bytes of a packed tape."""
    name, _, trajectory_id = tape.rpartition("/")
    (newest, _), pack = _newest.get(lake, (("", None), None))
    if pack is None or newest != name or not pack.holds(trajectory_id):  # else nothing is to be asked of the store
        pack = open_pack(lake, name)
    return pack.read(trajectory_id)


def copy_packed(source: Lake, name: str, target: Lake, kept: Collection[str]) -> None:
    """Write those tapes of a pack as a pack of the same name; of none, remove it."""
    if not kept:
        target.store.remove(name)
        return
    pack = open_pack(source, name)
    with target.store.writing(name) as path, path.open("wb") as file:
        repack(pack, kept, file)


def drop_packed(lake: Lake, tape: str) -> None:
    """Take one tape out of its pack; the others stay as they are, in a file that replaces the old one at once."""
    name, _, trajectory_id = tape.rpartition("/")
    copy_packed(lake, name, lake, open_pack(lake, name).tapes.keys() - {trajectory_id})
