"""Where the tapes of a lake lie."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from worldtape.errors import FormatError, InputError

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
    if not is_id(trajectory_id):
        raise InputError(f"{trajectory_id!r} cannot name a tape", fix="use letters, digits, '.', '_' and '-'")
    folder = hashlib.sha256(trajectory_id.encode()).hexdigest()[:2]
    return f"tapes/{folder}/{trajectory_id}{SEALED if sealed else OPEN}"


def is_id(trajectory_id: str) -> bool:
    """Tell whether an id can name a file."""
    return _ID.fullmatch(trajectory_id) is not None


def find_tapes(lake: Path) -> Iterator[Path]:
    """Yield every tape of a lake once, folder by folder; the sealed file where both stand, `<pack>/<id>` in packs.

    A pack that has lost its index stands for itself: reading it says why it cannot be read.
    """
    from worldtape.storage.tapes.pack import pack_at

    for folder in sorted((lake / "tapes").glob("[0-9a-f][0-9a-f]")):
        for pack in sorted(folder.glob("*.pack")):
            try:
                names = list(pack_at(pack).tapes)
            except FormatError:
                yield pack
                continue
            yield from (pack / name for name in names)
        files = {path.name for path in folder.iterdir() if path.name.endswith((OPEN, SEALED))}
        for name in sorted(files):
            if f"{name}.zst" not in files:
                yield folder / name


def trajectory_id_of(path: Path) -> str:
    """Return the id that a tape's file name carries."""
    return path.name.removesuffix(".zst").removesuffix(OPEN)
