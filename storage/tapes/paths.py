"""Where the tapes of a lake lie."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from worldtape.errors import InputError

OPEN = ".jsonl"
SEALED = ".jsonl.zst"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def tape_path(lake: Path, trajectory_id: str, *, sealed: bool = False) -> Path:
    """Return `tapes/<2 hex>/<trajectory_id>.jsonl`, or `.jsonl.zst` where `sealed`.

    Raises:
        InputError: the id cannot be a file name.
    """
    return lake / tape_name(trajectory_id, sealed=sealed)


def tape_name(trajectory_id: str, *, sealed: bool = False) -> str:
    """Return what `tape_path` does, relative to the lake."""
    if not _ID.fullmatch(trajectory_id):
        raise InputError(f"{trajectory_id!r} cannot name a tape", fix="use letters, digits, '.', '_' and '-'")
    folder = hashlib.sha256(trajectory_id.encode()).hexdigest()[:2]
    return f"tapes/{folder}/{trajectory_id}{SEALED if sealed else OPEN}"


def find_tapes(lake: Path) -> Iterator[Path]:
    """Yield every tape of a lake once, folder by folder; the sealed file where both stand, `<pack>/<id>` in packs."""
    from worldtape.storage.tapes.pack import pack_at

    for folder in sorted((lake / "tapes").glob("[0-9a-f][0-9a-f]")):
        for pack in sorted(folder.glob("*.pack")):
            yield from (pack / name for name in pack_at(pack).tapes)
        names = {path.name for path in folder.iterdir() if path.name.endswith((OPEN, SEALED))}
        for name in sorted(names):
            if f"{name}.zst" not in names:
                yield folder / name


def trajectory_id_of(path: Path) -> str:
    """Return the id that a tape's file name carries."""
    return path.name.removesuffix(".zst").removesuffix(OPEN)
