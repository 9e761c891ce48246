"""Large payloads, kept once by their SHA-256."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from worldtape.errors import FormatError, NotFoundError, boundary
from worldtape.storage._disk import flush, fsync_folder, hold, is_at, make_folder, write_all

_REF = re.compile(r"sha256:([0-9a-f]{64})")
_LEVEL, _QUICK = 3, 1
"""How hard a blob is compressed, and one that nobody waits for to be on the disk: it is one of many."""
_BLOCK = 1 << 20
_WORTH = 0.95
"""A blob is stored compressed where that is at most this share of its size."""


def blob_files(digest: str) -> tuple[str, str]:
    """Return the two names that a blob may have, relative to the lake."""
    name = f"blobs/sha256/{digest[:2]}/{digest}"
    return name, f"{name}.zst"


def read_blob(ref: str, read: Callable[[str], bytes], *, size: int | None = None, where: object = None) -> bytes:
    """Return the bytes of a blob, wherever it lies, and never more than were promised.

    Args:
        ref: `sha256:<64 hex>`.
        read: gives the bytes of a file by its name relative to the lake, or raises `NotFoundError`.
        size: the bytes that it must have; null: nobody knows.
        where: the lake, for messages.

    Raises:
        NotFoundError: there is no such blob here.
        FormatError: `ref` names no blob, or its bytes are not those it is named after.
    """
    digest = _digest(ref)
    name, packed = blob_files(digest)
    try:
        data = read(name)
    except NotFoundError:
        name = packed
        try:
            data = _unpacked(read(name), size, f"{where}/{name}")
        except NotFoundError:
            raise NotFoundError(f"no blob {ref}", where=where) from None
    if size is not None and len(data) != size:
        raise FormatError(f"the blob is damaged: it does not have {size} bytes", where=f"{where}/{name}")
    if hashlib.sha256(data).hexdigest() != digest:
        what = "the blob is damaged: its bytes do not have the SHA-256 it is named after"
        raise FormatError(what, where=f"{where}/{name}")
    return data


class Blobs:
    """The blobs of one lake: `blobs/sha256/ab/<64 hex>`, or the same name with `.zst` where compressing pays.

    Args:
        root: the lake's folder.
    """

    def __init__(self, root: str | Path) -> None:
        self.folder = Path(root) / "blobs" / "sha256"

    def put(self, data: bytes, *, durable: bool = True) -> str:
        """Keep `data` and return its `sha256:<hex>`; the file is whole before it has its name.

        Args:
            data: any bytes.
            durable: whether it must survive a crash of the machine by the time this returns (else call `sync`).

        Raises:
            StorageError: the disk is full or cannot be written.
        """
        digest = hashlib.sha256(data).hexdigest()
        with boundary(self.folder):
            if not self._has(digest, len(data)):
                self._write(digest, data, durable=durable)
            elif durable:
                self.sync(f"sha256:{digest}")
        return f"sha256:{digest}"

    def copy(self, file: BinaryIO, *, digest: str, size: int) -> str:
        """Keep the bytes of `file`, in constant memory and without waiting for the disk; return their `sha256:<hex>`.

        Args:
            file: open for reading, at its start.
            digest: its SHA-256, as hexadecimal.
            size: its bytes.

        Raises:
            FormatError: the bytes are not those that were announced.
            StorageError: the disk is full or cannot be written.
        """
        with boundary(self.folder):
            if not self._has(digest, size):
                self._stream(file, digest, size)
        return f"sha256:{digest}"

    def sync(self, ref: str) -> None:
        """Make a blob survive a crash of the machine."""
        path = self.path(ref)
        with boundary(path):
            fd = os.open(path, os.O_RDONLY)
            try:
                flush(fd)
            finally:
                os.close(fd)
            fsync_folder(path.parent)

    def get(self, ref: str, size: int | None = None) -> bytes:
        """Return the bytes of a blob; see `read_blob`."""
        return read_blob(ref, self._read, size=size, where=self.folder.parents[1])

    def _read(self, name: str) -> bytes:
        path = self.folder.parents[1] / name
        with boundary(path):
            try:
                return path.read_bytes()
            except FileNotFoundError as error:
                raise NotFoundError("no such blob", where=path) from error

    def path(self, ref: str) -> Path:
        """Return the file of a blob; one that ends in `.zst` is compressed.

        Raises:
            NotFoundError: there is no such blob here.
            FormatError: `ref` is not `sha256:<64 hex>`.
        """
        found = self._find(_digest(ref))
        if found is None:
            raise NotFoundError(f"no blob {ref}", where=self.folder)
        return found

    def __contains__(self, ref: str) -> bool:
        return self._find(_digest(ref)) is not None

    def __iter__(self) -> Iterator[str]:
        for path in sorted(self.folder.glob("[0-9a-f][0-9a-f]/*")):
            ref = f"sha256:{path.name.removesuffix('.zst')}"
            if _REF.fullmatch(ref):
                yield ref

    def sweep(self) -> int:
        """Remove what writers that are gone left half written; return how many files."""
        return sum(_swept(path) for path in self.folder.glob("[0-9a-f][0-9a-f]/.*.tmp"))

    def _has(self, digest: str, size: int) -> bool:
        """Tell whether the blob is there; what a crash of the machine left empty or short is written anew."""
        path = self._find(digest)
        found = 0 if path is None else path.stat().st_size
        return path is not None and (found > 0 if path.suffix == ".zst" else found == size)

    def _find(self, digest: str) -> Path | None:
        plain = self.folder / digest[:2] / digest
        for path in (plain, plain.with_suffix(".zst")):
            if path.exists():
                return path
        return None

    def _stream(self, file: BinaryIO, digest: str, size: int) -> None:
        folder = self.folder / digest[:2]
        make_folder(folder, durable=False)
        temporary = folder / f".{digest[:16]}-{uuid.uuid4().hex}.tmp"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            hold(fd)
            _squeeze(file, fd, digest, size)
            temporary.rename(folder / f"{digest}.zst")
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            os.close(fd)

    def _write(self, digest: str, data: bytes, *, durable: bool) -> None:
        folder = self.folder / digest[:2]
        make_folder(folder, durable=durable)
        temporary = folder / f".{digest[:16]}-{uuid.uuid4().hex}.tmp"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            if not (hold(fd) and is_at(fd, temporary)):  # a sweep was quicker than our lock
                self._write(digest, data, durable=durable)
                return
            packed = _packed(data, _LEVEL if durable else _QUICK)
            write_all(fd, data if packed is None else packed)
            if durable:
                flush(fd)
            temporary.rename(folder / (digest if packed is None else f"{digest}.zst"))
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            os.close(fd)
        if durable:
            fsync_folder(folder)


def _squeeze(file: BinaryIO, fd: int, digest: str, size: int) -> None:
    """Compress `size` bytes that have a known SHA-256."""
    import zstandard

    packer = zstandard.ZstdCompressor(level=_QUICK, write_checksum=True).compressobj(size=size)
    seen = hashlib.sha256()
    left = size
    while left and (block := file.read(min(left, _BLOCK))):
        seen.update(block)
        write_all(fd, packer.compress(block))
        left -= len(block)
    write_all(fd, packer.flush() if not left else b"")
    if seen.hexdigest() != digest:
        raise FormatError("its bytes changed while they were read")


def _digest(ref: str) -> str:
    match = _REF.fullmatch(ref)
    if match is None:
        raise FormatError(f"{ref!r} does not name a blob", fix="expected sha256: and 64 hex digits")
    return match[1]


def _packed(data: bytes, level: int) -> bytes | None:
    import zstandard

    packed: bytes = zstandard.ZstdCompressor(level=level, write_checksum=True).compress(data)
    return packed if len(packed) <= len(data) * _WORTH else None


def _unpacked(data: bytes, size: int | None, where: str) -> bytes:
    """Unpack a blob whole, or up to one byte more than it must have; what it says of its own size is not believed."""
    import zstandard

    reader: Any = zstandard.ZstdDecompressor().stream_reader(data)
    blocks: list[bytes] = []
    left = sys.maxsize if size is None else size + 1
    try:
        while left and (block := reader.read(min(_BLOCK, left))):
            blocks.append(block)
            left -= len(block)
    except zstandard.ZstdError as error:
        raise FormatError(f"the blob is damaged ({error})", where=where) from error
    return b"".join(blocks)


def _swept(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        gone = hold(fd) and is_at(fd, path)
        if gone:
            path.unlink()
        return gone
    finally:
        os.close(fd)
