"""Many tapes of one source in one file.

A pack is zstd frames one after another, each holding whole tapes: what `zstdcat` gives are their lines. The last frame
is a skippable one with the index: zstd of a JSON list of `[offset, size, [[trajectory_id, domain, bytes], …]]`, an item
for every frame, then the length of all that (4 bytes, little-endian) and `WTP1`.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

import orjson

from worldtape.errors import FormatError, NotFoundError

PACK_NAME = re.compile(r"[0-9a-f]{32}-[0-9]+\.pack")
"""`<key>-<number of its first record>.pack`; the key stands for the source and its format."""
_FRAME = 256 << 10
"""Plain bytes from which a frame is closed."""
_SKIPPABLE = 0x184D2A57
_MARK = b"WTP1"
_HEAD = struct.Struct("<II")
_TAIL = struct.Struct("<I4s")
_LEVEL = 1

Opener = Callable[[], AbstractContextManager[IO[bytes]]]


@dataclass(frozen=True, slots=True)
class Packed:
    """One tape of a pack."""

    trajectory_id: str
    domain: str
    bytes: int
    """Plain, without compression."""
    number: int
    """Its place in the pack."""
    start: int
    """Where it begins in its frame."""
    frame: tuple[int, int, int]
    """Where the frame lies in the file, its size there, and its plain size."""


class Pack:
    """Reads a pack. The frame that was read last is kept: reading tapes in their order unpacks each frame once.

    Args:
        opener: opens the file.
        where: for messages.

    Raises:
        FormatError: it has no index.
    """

    def __init__(self, opener: Opener, where: object) -> None:
        self._opener = opener
        self._where = where
        with opener() as file:
            self.tapes = {tape.trajectory_id: tape for tape in _index(file, where)}
        self._held: tuple[tuple[int, int, int] | None, bytes] = (None, b"")

    def read(self, trajectory_id: str) -> bytes:
        """Return the plain bytes of a tape.

        Raises:
            NotFoundError: it is not in this pack.
            FormatError: its frame is damaged.
        """
        tape = self.tapes.get(trajectory_id)
        if tape is None:
            raise NotFoundError(f"no tape {trajectory_id}", where=self._where)
        if self._held[0] != tape.frame:
            self._held = tape.frame, self._frame(*tape.frame)
        return self._held[1][tape.start : tape.start + tape.bytes]

    def _frame(self, at: int, size: int, plain: int) -> bytes:
        import zstandard

        with self._opener() as file:
            file.seek(at)
            data = file.read(size)
        try:
            if zstandard.frame_content_size(data) != plain:
                raise FormatError(
                    "the pack is damaged: a frame is not of the size that its index says", where=self._where
                )
            return bytes(zstandard.ZstdDecompressor().decompress(data))
        except zstandard.ZstdError as error:
            raise FormatError(f"the pack is damaged ({error})", where=self._where) from error


def pack_at(path: Path) -> Pack:
    """Return the pack in a local file; one that was opened lately is not read again.

    Raises:
        NotFoundError: there is no such file.
        FormatError: it is no pack.
    """
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise NotFoundError("no such pack", where=path) from error
    return _pack_at(path, (found.st_ino, found.st_size, found.st_mtime_ns))


@lru_cache(maxsize=4)
def _pack_at(path: Path, _stamp: tuple[int, ...]) -> Pack:
    return Pack(lambda: path.open("rb"), path)


def is_packed(path: Path) -> bool:
    """Tell whether a tape's path leads into a pack: `…/<pack>/<trajectory_id>`."""
    return PACK_NAME.fullmatch(path.parent.name) is not None


class PackWriter:
    """Writes a pack to an open file; the same tapes in the same order always give the same bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        import zstandard

        self._file = file
        self._packer = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
        self._block: list[tuple[str, str, bytes]] = []
        self._held = 0
        self._frames: list[tuple[int, int, list[tuple[str, str, int]]]] = []
        self.bytes = 0

    def add(self, trajectory_id: str, domain: str, plain: bytes) -> None:
        """Take a whole tape."""
        self._block.append((trajectory_id, domain, plain))
        self._held += len(plain)
        if self._held >= _FRAME:
            self._flush()

    def finish(self) -> None:
        """Write the index."""
        self._flush()
        index = self._packer.compress(orjson.dumps(self._frames))
        size = len(index) + _TAIL.size
        self._file.write(_HEAD.pack(_SKIPPABLE, size) + index + _TAIL.pack(size, _MARK))

    def _flush(self) -> None:
        if not self._block:
            return
        data = self._packer.compress(b"".join(plain for _, _, plain in self._block))
        self._file.write(data)
        self._frames.append((self.bytes, len(data), [(key, domain, len(plain)) for key, domain, plain in self._block]))
        self.bytes += len(data)
        self._block, self._held = [], 0


def repack(pack: Pack, kept: Collection[str], file: IO[bytes]) -> None:
    """Write the pack anew with the tapes of `kept` only."""
    writer = PackWriter(file)
    for tape in pack.tapes.values():
        if tape.trajectory_id in kept:
            writer.add(tape.trajectory_id, tape.domain, pack.read(tape.trajectory_id))
    writer.finish()


def packs_of(folder: Path, key: str) -> Iterator[Path]:
    """Yield the packs of a source, by name.

    Args:
        folder: `tapes` of a lake.
        key: of the source and its format.
    """
    yield from sorted(folder.glob(f"{key[:2]}/{key}-*.pack"))


def _index(file: IO[bytes], where: object) -> Iterator[Packed]:
    import zstandard

    end = file.seek(0, os.SEEK_END)
    file.seek(max(end - _TAIL.size, 0))
    tail = file.read(_TAIL.size)
    try:
        size, mark = _TAIL.unpack(tail)
        if mark != _MARK or size > end:
            raise FormatError("no index at its end", where=where)
        file.seek(end - size)
        frames = orjson.loads(zstandard.ZstdDecompressor().decompress(file.read(size - _TAIL.size)))
        yield from _entries(frames)
    except (struct.error, zstandard.ZstdError, ValueError, TypeError) as error:
        raise FormatError("the pack has no readable index", where=where, fix="restore it from a copy") from error


def _entries(frames: Iterable[tuple[int, int, list[tuple[str, str, int]]]]) -> Iterator[Packed]:
    number = 0
    for at, size, tapes in frames:
        plain, start = sum(length for *_, length in tapes), 0
        for trajectory_id, domain, length in tapes:
            yield Packed(trajectory_id, domain, length, number, start, (at, size, plain))
            start += length
            number += 1
