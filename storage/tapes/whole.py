"""Writing the tape of something that is over: in one piece, straight to its sealed file."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any
from zlib import crc32

from worldtape.errors import StorageError, boundary
from worldtape.schemas import End, EventKind
from worldtape.storage._disk import TEMPORARY, hold, make_folder, write_all
from worldtape.storage.blobs import Blobs
from worldtape.storage.tapes._line import INLINE, encode_blob, encode_bytes, encode_value
from worldtape.storage.tapes.paths import tape_path

_LEVEL = 1
_BLOCK = 1 << 20
_SPILL = 8 << 20
_local = threading.local()


class WholeTape:
    """A tape that nobody sees before it is whole. The same calls always give the same bytes.

    It is for recordings that lie in a file already: an import that is killed is begun again, so nothing waits for the
    disk. Times are given by the caller; a wall time earlier than the one before is preceded by a notice `clock_step`.

    Args:
        lake: its folder.
        trajectory_id: names the file.
        blobs: where payloads too large for a line are kept.
        keep: takes the plain bytes of the whole tape, where it is to go elsewhere than to its own file; not called for
            tapes of more than 8 MiB.
    """

    def __init__(
        self, lake: Path, trajectory_id: str, blobs: Blobs, *, keep: Callable[[bytes], bool] | None = None
    ) -> None:
        self._lake = lake
        self._id = trajectory_id
        self._blobs = blobs
        self._keep = keep
        self._lines: list[bytes] = []
        self._held = self._seq = self._wall = self._mono = 0
        self._stream: _Stream | None = None

    @cached_property
    def path(self) -> Path:
        """Its own file, where it has one."""
        return tape_path(self._lake, self._id, sealed=True)

    def append(
        self, kind: str, data: Mapping[str, Any], *, step: int | None = None, wall_us: int | None = None
    ) -> None:
        """Write one event; without a time it has that of the event before."""
        self.write(kind, encode_value(data), step=step, wall_us=wall_us)

    def data(self, channel: str, data: bytes, *, step: int | None = None, wall_us: int | None = None) -> None:
        """Write bytes of a channel."""
        if len(data) > INLINE:
            payload = encode_blob(channel, self._blobs.put(data, durable=False), len(data))
        else:
            payload = encode_bytes(channel, data)
        self.write(EventKind.DATA, payload, step=step, wall_us=wall_us)

    def write(self, kind: str, payload: bytes, *, step: int | None = None, wall_us: int | None = None) -> None:
        """Write one event whose payload is ASCII JSON already."""
        wall = self._wall if wall_us is None else wall_us
        before, self._wall = self._wall, wall
        if wall < before:
            self._line(EventKind.NOTICE, encode_value({"code": "clock_step", "from": before, "to": wall}), step)
        elif before:
            self._mono += (wall - before) * 1000
        self._line(kind, payload, step)

    def publish(self, end: End) -> bool:
        """Write the end and give the file its name; False: somebody else was quicker, and nothing is written.

        Raises:
            StorageError: the disk is full or cannot be written.
        """
        self.write(EventKind.END, encode_value(end.to_dict()))
        if self._stream is None and self._keep is not None:
            return self._keep(b"".join(self._lines))
        with boundary(self.path):
            if self._stream is None:
                return published(self.path, b"".join(self._lines))
            self._stream.write(b"".join(self._lines))
            return self._stream.publish()

    def discard(self) -> None:
        """Let go of what was written so far."""
        self._lines.clear()
        if self._stream is not None:
            self._stream.close()

    def _line(self, kind: str, payload: bytes, step: int | None) -> None:
        place = b"null" if step is None else b"%d" % step
        body = b'{"seq":%d,"kind":"%b","wall":%d,"mono":%d,"step":%b,"data":%b' % (
            self._seq,
            kind.encode(),
            self._wall,
            self._mono,
            place,
            payload,
        )
        line = b'%b,"crc":"%08x"}\n' % (body, crc32(body))
        self._seq += 1
        self._lines.append(line)
        self._held += len(line)
        if self._held >= _BLOCK:
            self._flush()

    def _flush(self) -> None:
        """Hand over what is held, once it is more than an ordinary tape."""
        if self._stream is None and self._held < _SPILL:
            return
        with boundary(self.path):
            if self._stream is None:
                self._stream = _Stream(self.path)
            self._stream.write(b"".join(self._lines))
        self._lines.clear()
        self._held = 0


class _Stream:
    """A long tape on its way to the disk."""

    def __init__(self, path: Path) -> None:
        import zstandard

        self._path = path
        self._temporary, self._fd = begun(path)
        self._packer = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()

    def write(self, data: bytes) -> None:
        write_all(self._fd, self._packer.compress(data))

    def publish(self) -> bool:
        try:
            write_all(self._fd, self._packer.flush())
            return named(self._temporary, self._path)
        finally:
            self.close()

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._temporary.unlink(missing_ok=True)
            self._fd = -1


def sealed_bytes(plain: bytes) -> bytes:
    """Return a tape as it stands in a sealed file."""
    return bytes(_compressor().compress(plain))


def _compressor() -> Any:
    """One for each thread: making one costs more than a small tape."""
    found = getattr(_local, "compressor", None)
    if found is None:
        import zstandard

        found = _local.compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    return found


def published(path: Path, plain: bytes) -> bool:
    """Write a sealed tape; False: there is one of that name."""
    temporary, fd = begun(path)
    try:
        write_all(fd, sealed_bytes(plain))
        return named(temporary, path)
    finally:
        os.close(fd)
        temporary.unlink(missing_ok=True)


def begun(path: Path) -> tuple[Path, int]:
    """Open a file that recovery removes when its writer is gone; all in one folder, where making them costs least."""
    temporary = path.parents[1] / f".{uuid.uuid4().hex}{TEMPORARY}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        fd = os.open(temporary, flags, 0o644)
    except FileNotFoundError:
        make_folder(temporary.parent, durable=False)
        fd = os.open(temporary, flags, 0o644)
    hold(fd)
    return temporary, fd


def named(temporary: Path, path: Path) -> bool:
    """Give the file its name, unless there is one of that name."""
    for _ in range(2):
        try:
            os.link(temporary, path)
        except FileNotFoundError:
            make_folder(path.parent, durable=False)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            if path.exists():
                return False
            make_folder(path.parent, durable=False)
            temporary.rename(path)
            return True
        else:
            return True
    raise StorageError("the tape was taken away while it was written", where=path, fix="import again")
