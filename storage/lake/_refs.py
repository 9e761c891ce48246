"""Which blobs a tape names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake

_REF = re.compile(rb"sha256:([0-9a-f]{64})")
_BLOCK = 4 << 20
_OVERLAP = 71
"""One byte less than a whole reference, so that one cut in two by a block is found, and none twice."""


def blob_names(lake: Lake, tape: str) -> set[str]:
    """Return the hex digests of every blob that the tape called `tape` may name."""
    with lake.store.open(tape) as file:
        return set(_digests(_plain(file) if tape.endswith(".zst") else _blocks(file)))


def blob_files(digest: str) -> tuple[str, str]:
    """Return the two names that a blob may have, relative to the lake."""
    name = f"blobs/sha256/{digest[:2]}/{digest}"
    return name, f"{name}.zst"


def _digests(blocks: Iterator[bytes]) -> Iterator[str]:
    tail = b""
    for block in blocks:
        text = tail + block
        for match in _REF.finditer(text):
            yield match[1].decode()
        tail = text[-_OVERLAP:]


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _plain(file: IO[bytes]) -> Iterator[bytes]:
    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False) as reader:
        while block := reader.read(_BLOCK):
            yield block
