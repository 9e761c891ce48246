"""Zstandard streams that say when they are cut."""

from __future__ import annotations

import io
from typing import Any, BinaryIO

_WINDOW = 1 << 27
_LONGEST_HEADER = 18
_SKIPPABLE = range(0x184D2A50, 0x184D2A60)
_RLE = 1
_CHECKSUM = 4


class Zstd(io.RawIOBase):
    """Decompressed bytes, in memory bounded by a window of 128 MiB.

    The library reads a cut stream as if it ended there; here the end is compared with the frames' own lengths.

    Args:
        raw: the compressed bytes, from their beginning.
    """

    def __init__(self, raw: BinaryIO) -> None:
        import zstandard

        decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
        self._raw = raw
        self._stream = decompressor.stream_reader(raw, read_across_frames=True, closefd=False)

    def readable(self) -> bool:
        """Return true."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read once.

        Raises:
            EOFError: the stream is cut.
        """
        count = self._stream.readinto(buffer)
        if not count and len(buffer) and not is_whole(self._raw):
            raise EOFError("the compressed stream ends early")
        return count


def is_whole(raw: BinaryIO) -> bool:
    """Tell whether the last frame of a zstd stream ends where the stream does; nothing is decompressed."""
    end = raw.seek(0, io.SEEK_END)
    at = 0
    while 0 <= at < end:
        raw.seek(at)
        at = _after_frame(raw, at)
    raw.seek(end)
    return at == end


def _after_frame(raw: BinaryIO, at: int) -> int:
    """Return where the frame at `at` ends, -1 where its header or one of its blocks' headers is cut."""
    import zstandard

    head = raw.read(_LONGEST_HEADER)
    if int.from_bytes(head[:4], "little") in _SKIPPABLE:
        return at + 8 + int.from_bytes(head[4:8], "little") if len(head) >= 8 else -1  # noqa: PLR2004
    try:
        at += zstandard.frame_header_size(head)
        checked = zstandard.get_frame_parameters(head).has_checksum
    except zstandard.ZstdError:
        return -1
    last = False
    while not last:
        raw.seek(at)
        block = raw.read(3)
        if len(block) < 3:  # noqa: PLR2004
            return -1
        fields = int.from_bytes(block, "little")
        last, kind, size = bool(fields & 1), fields >> 1 & 3, fields >> 3
        at += 3 + (1 if kind == _RLE else size)
    return at + (_CHECKSUM if checked else 0)
