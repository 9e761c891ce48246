"""Reading a sealed tape."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from worldtape.errors import FormatError


class Unpacked:
    """The bytes of a zstd file as they stand in it, in constant memory.

    Args:
        file: open for reading.
        where: its path, for messages.
    """

    def __init__(self, file: IO[bytes], where: object) -> None:
        import zstandard

        self._failure = zstandard.ZstdError
        self._where = where
        self._stream = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, none at the end.

        Raises:
            FormatError: the compressed bytes are damaged. A file that stops early reads as if it ended there.
        """
        try:
            return bytes(self._stream.read(size))
        except self._failure as error:
            raise FormatError(f"the sealed tape is damaged ({error})", where=self._where) from error


def unpacked(path: Path, most: int) -> bytes | None:
    """Return the plain bytes of a zstd file; null where they are more than `most`, or it is not one whole frame."""
    import zstandard

    if path.stat().st_size > most:
        return None
    data = path.read_bytes()
    try:
        if not 0 < zstandard.frame_content_size(data) <= most:
            return None
        return bytes(zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False))
    except zstandard.ZstdError:
        return None
