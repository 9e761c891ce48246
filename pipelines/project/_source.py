"""Opening the tape of a lake, wherever the lake lies."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from worldtape.storage import Lake, TapeReader
from worldtape.storage._disk import is_held
from worldtape.storage.blobs import read_blob
from worldtape.storage.lake import pack_name, plain_tape
from worldtape.storage.tapes import sealed_bytes

_BLOCK = 4 << 20


class _Remote:
    """Blobs of a lake on an object store."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def get(self, ref: str, size: int | None = None, /) -> bytes:
        """Return the bytes of a blob, checked as those of a local lake are."""
        return read_blob(ref, self._lake.store.read, size=size, where=self._lake)


@contextmanager
def opened(lake: Lake, name: str) -> Iterator[TapeReader]:
    """Give a reader of the tape called `name`; one on an object store is copied to this machine first.

    Raises:
        FormatError: it has no header.
        VersionError: a newer Worldtape wrote it.
    """
    if lake.store.local:
        yield TapeReader(lake.store.full(name))
        return
    with tempfile.TemporaryDirectory(prefix="worldtape-") as folder:
        copy = Path(folder) / name.rpartition("/")[2]
        if pack_name(name):
            copy = copy.with_name(f"{copy.name}.jsonl.zst")
            copy.write_bytes(sealed_bytes(plain_tape(lake, name)))
            yield TapeReader(copy, blobs=_Remote(lake))
            return
        with lake.store.open(name) as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target, _BLOCK)
        yield TapeReader(copy, blobs=_Remote(lake))


def is_live(path: str) -> bool:
    """Tell whether somebody writes this tape: its lock is held, or it has only just been made."""
    try:
        return not Path(path).stat().st_size or is_held(Path(path))
    except FileNotFoundError:
        return True
