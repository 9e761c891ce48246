"""Files below one root: a local folder, or a prefix of an object store."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from worldtape.errors import InputError, NotFoundError, StorageError, boundary, need
from worldtape.storage._disk import TEMPORARY, hold

_BLOCK = 4 << 20


class Store:
    """What a lake needs of a file system; every name is relative to the root and uses `/`.

    Args:
        uri: a local path, or a URL that fsspec understands (`s3://bucket/lake`, `memory://lake`).
        storage_options: passed to fsspec (endpoint, keys, …).
    """

    def __init__(self, uri: str | os.PathLike[str], storage_options: dict[str, Any] | None = None) -> None:
        from fsspec.core import url_to_fs

        text = os.fspath(uri)
        if text.startswith(("s3://", "s3a://")):
            need("s3fs", extra="s3")
        self.options = dict(storage_options or {})
        try:
            self.fs, root = url_to_fs(os.path.expanduser(text), **self.options)  # noqa: PTH111
        except (ValueError, ImportError) as error:
            raise InputError(str(error), where=text, fix="give a folder, or a URL such as s3://bucket/lake") from error
        self.root = str(root).rstrip("/") or "/"
        self.local = "file" in self._protocols()

    def _protocols(self) -> tuple[str, ...]:
        protocol = self.fs.protocol
        return (protocol,) if isinstance(protocol, str) else tuple(protocol)

    def __str__(self) -> str:
        return self.root if self.local else str(self.fs.unstrip_protocol(self.root))

    def path(self, name: str) -> str:
        """Return where `name` can be opened: a local path, or a URL."""
        return f"{self}/{name}"

    def full(self, name: str) -> str:
        """Return `name` as the file system itself calls it."""
        return f"{self.root}/{name}" if name else self.root

    def names(self, folder: str = "") -> list[str]:
        """Return every file below `folder`, sorted; none where the folder is missing."""
        if self.local:
            return sorted(self._walk(Path(self.full(folder))))
        with _reach(str(self)):
            self.fs.invalidate_cache()
            start = len(self.root) + 1
            return sorted(str(found)[start:] for found in self.fs.find(self.full(folder)))

    def _walk(self, folder: Path) -> Iterator[str]:
        start = len(self.root.rstrip("/")) + 1
        for here, _, files in os.walk(folder, onerror=_complain):
            for file in files:
                yield f"{here}/{file}"[start:]

    def exists(self, name: str) -> bool:
        """Tell whether there is a file called `name`."""
        return bool(self.fs.isfile(self.full(name)))

    def empty(self) -> bool:
        """Tell whether nothing lies below the root."""
        if self.local:
            root = Path(self.root)
            return not root.exists() or not any(root.iterdir())
        return not self.names()

    def read(self, name: str) -> bytes:
        """Return the bytes of `name`.

        Raises:
            NotFoundError: there is no such file.
        """
        try:
            with _reach(self.path(name)):
                return bytes(self.fs.cat_file(self.full(name)))
        except StorageError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                raise NotFoundError("no such file", where=self.path(name)) from error
            raise

    @contextmanager
    def open(self, name: str, *, block: int | None = None) -> Iterator[IO[bytes]]:
        """Open `name` for reading, on an object store by `block` bytes at once."""
        with _reach(self.path(name)), self.fs.open(self.full(name), "rb", block_size=block) as file:
            yield file

    def write(self, name: str, data: bytes) -> None:
        """Write a small file at once: readers see the old bytes or the new ones, never a half."""
        with self.writing(name) as path:
            path.write_bytes(data)

    def append(self, name: str, line: bytes) -> None:
        """Add a line to a file; on a local disk in one write, so that several writers can."""
        if not self.local:
            self.write(name, (self.read(name) if self.exists(name) else b"") + line)
            return
        with _reach(self.path(name)):
            torn = Path(self.full(name)).is_file() and not self.read(name).endswith(b"\n")
            with Path(self.full(name)).open("ab", buffering=0) as file:
                file.write(b"\n" + line if torn else line)
                os.fsync(file.fileno())

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Give a local path to write to; when the block ends well, the file appears as `name` in one step."""
        with _reach(self.path(name)):
            place = self._beside(name) if self.local else _spool()
            with place.open("wb") as held:
                hold(held.fileno())
                try:
                    yield place
                    self._publish(place, name)
                finally:
                    with suppress(FileNotFoundError):
                        place.unlink()

    def _beside(self, name: str) -> Path:
        target = Path(self.full(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        return target.parent / f".{target.name}.{uuid.uuid4().hex}{TEMPORARY}"

    def _publish(self, place: Path, name: str) -> None:
        if not self.local:
            self.fs.put_file(str(place), self.full(name))
            return
        _sync(place)
        place.replace(self.full(name))
        _sync(Path(self.full(name)).parent)

    def copy(self, source: Store, name: str, to: str | None = None) -> None:
        """Copy `name` from another store to the same place here, or to another."""
        with source.open(name) as file, self.writing(to or name) as path, path.open("wb") as target:
            shutil.copyfileobj(file, target, _BLOCK)

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        """Lock a file of a local lake; an object store has no locks."""
        if not self.local:
            yield
            return
        with Path(self.full(name)).open("rb") as file:
            hold(file.fileno())
            yield

    def abandoned(self, name: str) -> bool:
        """Tell whether a file of a local lake is locked by nobody."""
        try:
            with Path(self.full(name)).open("rb") as file:
                return hold(file.fileno())
        except FileNotFoundError:
            return False

    def remove(self, name: str) -> None:
        """Remove `name`; nothing happens where it is gone already."""
        with _reach(self.path(name)), suppress(FileNotFoundError):
            self.fs.rm_file(self.full(name))

    def move(self, old: str, new: str) -> None:
        """Give `old` another name; atomic on a local disk."""
        with _reach(self.path(old)):
            if self.local:
                Path(self.full(new)).parent.mkdir(parents=True, exist_ok=True)
                Path(self.full(old)).replace(self.full(new))
            else:
                self.fs.mv(self.full(old), self.full(new))

    def size(self, name: str) -> int:
        """Return the bytes of `name`."""
        with _reach(self.path(name)):
            return int(self.fs.size(self.full(name)) or 0)

    def age_s(self, name: str) -> float:
        """Return the seconds since `name` was written; 0 where it is gone or nobody knows."""
        try:
            written = self.fs.modified(self.full(name))
        except (FileNotFoundError, NotImplementedError):
            return 0.0
        return float((datetime.now(UTC) - written).total_seconds())

    def stamp(self, name: str) -> str | None:
        """Return what changes whenever `name` is replaced, or null where the store has no such thing."""
        if self.local:
            with _reach(self.path(name)):
                found = Path(self.full(name)).stat()
            return f"{found.st_size}:{found.st_mtime_ns}:{found.st_ino}"
        info = self.fs.info(self.full(name))
        return str(info["ETag"]) if info.get("ETag") else None


@contextmanager
def _reach(where: object) -> Iterator[None]:
    try:
        with boundary(where):
            yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in {"aiobotocore", "aiohttp", "botocore"}:
            raise
        raise StorageError(str(error), where=where, fix="check the endpoint, the bucket and the keys") from error


def _complain(error: OSError) -> None:
    if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
        raise error


def _spool() -> Path:
    handle, name = tempfile.mkstemp(prefix="worldtape-", suffix=TEMPORARY)
    os.close(handle)
    return Path(name)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
