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
from itertools import groupby
from pathlib import Path
from typing import IO

import orjson

from worldtape.errors import FormatError, NotFoundError
from worldtape.storage.tapes.paths import is_id

PACK_NAME = re.compile(r"[0-9a-f]{32}-[0-9]+\.pack")
"""`<key>-<number of its first record>.pack`; the key stands for the source and its format."""
_FRAME = 256 << 10
"""Plain bytes from which a frame is closed."""
_SKIPPABLE = 0x184D2A57
_MARK = b"WTP1"
_HEAD = struct.Struct("<II")
_TAIL = struct.Struct("<I4s")
_LEVEL = 1
_LARGEST = 256 << 20
"""Plain bytes that a frame or an index may have; ours are far smaller."""

Frame = tuple[int, int, int]
"""Where a frame lies in the file, its size there, and its plain size."""

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
    frame: Frame


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
        self._held: tuple[Frame | None, bytes] = (None, b"")

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
            self._held = tape.frame, self._plain(tape.frame)
        return self._held[1][tape.start : tape.start + tape.bytes]

    def holds(self, trajectory_id: str) -> bool:
        """Tell whether a tape can be read without the file."""
        tape = self.tapes.get(trajectory_id)
        return tape is not None and tape.frame == self._held[0]

    def packed(self, frame: Frame) -> bytes:
        """Return a frame as it stands in the file."""
        at, size, _ = frame
        with self._opener() as file:
            file.seek(at)
            return file.read(size)

    def _plain(self, frame: Frame) -> bytes:
        import zstandard

        data = self.packed(frame)
        try:
            if zstandard.frame_content_size(data) != frame[2]:
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

    def copy(self, frame: bytes, tapes: Iterable[Packed]) -> None:
        """Take a whole frame of another pack as it is."""
        self._flush()
        self._put(frame, [(tape.trajectory_id, tape.domain, tape.bytes) for tape in tapes])

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
        self._put(data, [(key, domain, len(plain)) for key, domain, plain in self._block])
        self._block, self._held = [], 0

    def _put(self, data: bytes, tapes: list[tuple[str, str, int]]) -> None:
        self._file.write(data)
        self._frames.append((self.bytes, len(data), tapes))
        self.bytes += len(data)


def repack(pack: Pack, kept: Collection[str], file: IO[bytes]) -> None:
    """Write the pack anew with the tapes of `kept` only; a frame that keeps all of its tapes is not even unpacked."""
    writer = PackWriter(file)
    for frame, group in groupby(pack.tapes.values(), key=lambda tape: tape.frame):
        tapes = list(group)
        left = [tape for tape in tapes if tape.trajectory_id in kept]
        if left == tapes:
            writer.copy(pack.packed(frame), tapes)
            continue
        for tape in left:
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
        index = file.read(max(size - _TAIL.size, 0))
        if zstandard.frame_content_size(index) > _LARGEST:
            raise FormatError("the index is too large", where=where)
        yield from _entries(orjson.loads(zstandard.ZstdDecompressor().decompress(index)))
    except (struct.error, zstandard.ZstdError, ValueError, TypeError) as error:
        fix = "`worldtape recover` keeps what is whole; import its source again for the rest"
        raise FormatError("the pack has no readable index", where=where, fix=fix) from error


def _entries(frames: Iterable[tuple[int, int, list[tuple[str, str, int]]]]) -> Iterator[Packed]:
    """Yield what an index says.

    Raises:
        ValueError: it says what no writer writes; an id that climbs out of a folder must not name a file.
    """
    number = 0
    seen: set[str] = set()
    for at, size, tapes in frames:
        plain, start = sum(length for *_, length in tapes), 0
        if not (at >= 0 and size > 0 and plain <= _LARGEST):
            raise ValueError
        for trajectory_id, domain, length in tapes:
            if not is_id(trajectory_id) or trajectory_id in seen or not isinstance(domain, str) or length < 0:
                raise ValueError
            seen.add(trajectory_id)
            yield Packed(trajectory_id, domain, length, number, start, (at, size, plain))
            start += length
            number += 1
