"""Which blobs a tape names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from io import BytesIO
from typing import IO, TYPE_CHECKING

from worldtape.storage.lake._packed import pack_name, plain_tape

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake

_REF = re.compile(rb'("blob":")?sha256:([0-9a-f]{64})')
_BLOCK = 4 << 20
_OVERLAP = 80
"""Bytes of the longest match, so that one cut in two by a block is found."""


def blob_names(lake: Lake, tape: str) -> set[str]:
    """Return the hex digests of every blob that the tape called `tape` may name."""
    return set(named_blobs(lake, tape))


def named_blobs(lake: Lake, tape: str) -> dict[str, bool]:
    """Return every digest on a tape, and whether it surely names a blob: an image or a screen can show one, too."""
    found: dict[str, bool] = {}
    with _opened(lake, tape) as file:
        for digest, sure in _digests(_plain(file) if tape.endswith(".zst") else _blocks(file)):
            found[digest] = found.get(digest, False) or sure
    return found


def _opened(lake: Lake, tape: str) -> AbstractContextManager[IO[bytes]]:
    return BytesIO(plain_tape(lake, tape)) if pack_name(tape) else lake.store.open(tape)


def _digests(blocks: Iterator[bytes]) -> Iterator[tuple[str, bool]]:
    tail = b""
    for block in blocks:
        text = tail + block
        for match in _REF.finditer(text):
            yield match[2].decode(), match[1] is not None
        tail = text[-_OVERLAP:]


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _plain(file: IO[bytes]) -> Iterator[bytes]:
    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False) as reader:
        while block := reader.read(_BLOCK):
            yield block
