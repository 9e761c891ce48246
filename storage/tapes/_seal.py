"""From a finished tape to its compressed file."""

from __future__ import annotations

import os
from pathlib import Path

from worldtape.storage._disk import flush, fsync_folder

_LEVEL = 3
_CHUNK = 1 << 20


def seal_file(path: Path, *, durable: bool) -> Path:
    """Compress a finished `.jsonl`, put the result beside it and remove it; return the new path.

    The caller holds the tape's lock. A crash between any two steps leaves the `.jsonl`, the sealed file, or both whole.
    """
    sealed = path.with_name(f"{path.name}.zst")
    temporary = sealed.with_name(f"{sealed.name}.tmp")
    try:
        _compress(path, temporary, durable=durable)
        temporary.rename(sealed)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        fsync_folder(path.parent)
    path.unlink()
    return sealed


def _compress(path: Path, target: Path, *, durable: bool) -> None:
    import zstandard

    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    with path.open("rb") as source, target.open("wb") as sink:
        compressor.copy_stream(
            source, sink, size=os.fstat(source.fileno()).st_size, read_size=_CHUNK, write_size=_CHUNK
        )
        sink.flush()
        if durable:
            flush(sink.fileno())
