"""Archives: their members as sources. Nothing is ever written under a name that an archive gives."""

from __future__ import annotations

import gzip
import io
import lzma
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from worldtape.errors import FormatError, RefusedError, WorldtapeError, boundary
from worldtape.pipelines.importing._limits import MEMBERS, Meter
from worldtape.pipelines.importing._source import Source
from worldtape.pipelines.importing._zstd import Zstd

_BLOCK = 1 << 20
_TAR_AT = 257
_XZ_MEMORY = 256 << 20
_LONG_HEADER = 1 << 20
_ENCRYPTED = 0x1
_MAGIC = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\x1f\x8b\x08": "gz",
    b"\x28\xb5\x2f\xfd": "zst",
    b"\xfd7zXZ\x00": "xz",
}
_SUFFIXES = (".gz", ".zst", ".xz", ".tgz", ".gzip")


def archive_kind(head: bytes) -> str | None:
    """Return `zip`, `tar`, `gz`, `zst` or `xz` by the first bytes of a file; null where it is none."""
    found = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
    return "tar" if found is None and _is_tar(head) else found


@dataclass(slots=True)
class Unpacked:
    """An archive's members, as numbered files of a temporary folder; implements `Box`."""

    members: list[tuple[str, Path]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Members that were not unpacked, and why."""
    single: bool = False
    """One compressed file, not a container."""
    cut: bool = False
    """It ends early: these are the members, or the bytes, before the cut."""
    _places: dict[str, Path] = field(default_factory=dict)

    def find(self, name: str) -> Path | None:
        """Return where the member called `name` lies."""
        return self._places.get(name)

    def add(self, name: str, path: Path) -> None:
        """Take one member."""
        self.members.append((name, path))
        self._places[name] = path


@contextmanager
def unpacked(source: Source, meter: Meter) -> Iterator[Unpacked]:
    """Unpack an archive into a temporary folder, and remove it again.

    Raises:
        RefusedError: it unpacks to far more than it should.
        FormatError: it is damaged.
    """
    with tempfile.TemporaryDirectory(prefix="worldtape-") as folder:
        box = Unpacked()
        work = _Unpacking(Path(folder), box, meter)
        try:
            if archive_kind(source.head) == "zip":
                work.zip(source)
            else:
                work.stream(source)
        except (WorldtapeError, MemoryError):
            raise
        except Exception as error:  # a library's way to say that bytes are bad
            if isinstance(error, OSError) and error.errno is not None:
                with boundary(folder):
                    raise
            raise FormatError(f"the archive is damaged ({_line(error)})", where=source.name) from error
        yield box


class _Unpacking:
    def __init__(self, folder: Path, box: Unpacked, meter: Meter) -> None:
        self._folder = folder
        self._box = box
        self._meter = meter

    def zip(self, source: Source) -> None:
        with zipfile.ZipFile(source.path) as archive:
            infos = archive.infolist()
            _few(len(infos))
            for info in infos:
                why = _bad_name(info.filename) or _bad_zip(info)
                if why is not None:
                    self._box.refused.append((_shown(info.filename), why))
                elif not info.is_dir():
                    self._zipped(archive, info)

    def _zipped(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        try:
            with archive.open(info) as file:
                self._keep(info.filename, file, packed=lambda: info.compress_size)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, lzma.LZMAError) as error:
            self._box.refused.append((_shown(info.filename), f"the member is damaged ({_line(error)})"))

    def stream(self, source: Source) -> None:
        kind = archive_kind(source.head)
        with source.path.open("rb") as raw:
            stream = _ToTheCut(_opened(raw, kind))
            plain = io.BufferedReader(stream, _BLOCK)
            if _is_tar(plain.peek(_TAR_AT + 8)):
                metered = io.BufferedReader(_Metered(plain, raw, self._meter), _BLOCK)
                try:
                    self._tar(metered)
                except tarfile.ReadError:
                    self._box.cut = True
            elif plain.peek(1):
                self._box.single = True
                name = source.name.rpartition("/")[2]
                stem = next((name.removesuffix(end) for end in _SUFFIXES if name.endswith(end)), name)
                self._keep(stem or name, plain, packed=raw.tell)
        self._box.cut = self._box.cut or stream.cut
        if self._box.cut and not self._box.members:
            raise EOFError("it ends early")

    def _tar(self, file: BinaryIO) -> None:
        count = 0
        with tarfile.open(fileobj=file, mode="r|", tarinfo=_Info) as archive:
            for info in archive:
                count += 1
                _few(count)
                archive.members = []  # type: ignore[attr-defined]  # else it remembers them all
                why = _bad_name(info.name) or _bad_tar(info)
                if why is not None:
                    self._box.refused.append((_shown(info.name), why))
                elif info.isreg() and (member := archive.extractfile(info)) is not None:
                    self._keep(info.name, member, packed=None)

    def _keep(self, name: str, file: Any, *, packed: Any) -> None:
        path = self._folder / f"{len(self._box.members):06d}"
        seen = 0
        with path.open("wb") as target:
            while block := file.read(_BLOCK):
                seen += len(block)
                if packed is not None:
                    self._meter.add(len(block), unpacked=seen, packed=packed())
                target.write(block)
        self._box.add(_shown(name).removeprefix("./"), path)


class _Info(tarfile.TarInfo):
    """Headers that hold names may not be long: they are read into memory whole."""

    def _proc_member(self, archive: tarfile.TarFile) -> Any:
        if self.type in _HOLD_NAMES and self.size > _LONG_HEADER:
            raise FormatError("a tar header is longer than 1 MiB")
        return super()._proc_member(archive)  # type: ignore[misc]


_HOLD_NAMES = {
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
}


class _Metered(io.RawIOBase):
    """Counts a decompressed stream against the compressed one it comes from."""

    def __init__(self, plain: io.BufferedReader[Any], raw: BinaryIO, meter: Meter) -> None:
        self._plain = plain
        self._raw = raw
        self._meter = meter
        self._seen = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._plain.readinto(buffer)
        self._seen += count
        self._meter.add(count, unpacked=self._seen, packed=self._raw.tell())
        return count


class _ToTheCut(io.RawIOBase):
    """A stream that ends where the compressed bytes below it end early, and says so."""

    def __init__(self, inner: Any) -> None:
        self._read = getattr(inner, "readinto1", inner.readinto)
        self.cut = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return int(self._read(buffer))
        except EOFError:
            self.cut = True
            return 0


class _Xz(io.RawIOBase):
    """An xz stream that may not ask for more than 256 MiB of memory."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._decoder = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        while True:
            if self._decoder.eof:
                rest = self._decoder.unused_data or self._raw.read(_BLOCK)
                rest = rest.lstrip(b"\0")
                if not rest:
                    return 0
                self._decoder = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
                data = self._decoder.decompress(rest, len(view))
            else:
                fresh = self._raw.read(_BLOCK) if self._decoder.needs_input else b""
                if self._decoder.needs_input and not fresh:
                    raise EOFError("the compressed stream ends early")
                data = self._decoder.decompress(fresh, len(view))
            if data:
                view[: len(data)] = data
                return len(data)


def _opened(raw: BinaryIO, kind: str | None) -> Any:
    if kind == "gz":
        return gzip.GzipFile(fileobj=raw, mode="rb")
    if kind == "xz":
        return _Xz(raw)
    if kind == "zst":
        return Zstd(raw)
    return raw


def _is_tar(head: bytes) -> bool:
    return head[_TAR_AT : _TAR_AT + 5] == b"ustar"


def _few(count: int) -> None:
    if count > MEMBERS:
        raise RefusedError(f"it has more than {MEMBERS} members", fix="unpack it yourself if it is meant so")


def _bad_name(name: str) -> str | None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or name[1:2] == ":" or "\0" in name:
        return "its name climbs out of the archive"
    return None


def _bad_zip(info: zipfile.ZipInfo) -> str | None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "a link inside an archive is not followed"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "no regular file"
    return "it is encrypted" if info.flag_bits & _ENCRYPTED else None


def _bad_tar(info: tarfile.TarInfo) -> str | None:
    if info.issym() or info.islnk():
        return "a link inside an archive is not followed"
    if info.issparse() or not (info.isreg() or info.isdir()):
        return "no regular file"
    return None


def _shown(name: str) -> str:
    return name.encode("utf-8", "replace").decode()


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]
