"""A local file opened for reading, for callers who drop files without closing them."""

from __future__ import annotations

import io
import os


class LocalFile(io.RawIOBase):
    """Reads at its own offset; the file is closed when the object goes, without a `ResourceWarning`.

    Args:
        path: the file.
    """

    def __init__(self, path: str) -> None:
        super().__init__()
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._at = 0

    def readable(self) -> bool:
        """Return true."""
        return True

    def seekable(self) -> bool:
        """Return true."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move to `offset` and return the new offset."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at}.get(whence)
        self._at = offset + (os.fstat(self._fd).st_size if start is None else start)
        return self._at

    def tell(self) -> int:
        """Return the offset."""
        return self._at

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next `size` bytes, fewer only at the end of the file."""
        wanted = os.fstat(self._fd).st_size - self._at if size is None or size < 0 else size
        blocks = []
        while wanted > 0 and (block := os.pread(self._fd, wanted, self._at)):
            blocks.append(block)
            self._at += len(block)
            wanted -= len(block)
        return b"".join(blocks)

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        if not self.closed:
            os.close(self._fd)
        super().close()
