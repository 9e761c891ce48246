"""A file of somebody else, on disk."""

from __future__ import annotations

import hashlib
import io
import os
import posixpath
import stat
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from worldtape.errors import InputError, RefusedError

if TYPE_CHECKING:
    from worldtape.schemas import SourceFile

HEAD = 64 << 10
_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"

Tick = Callable[[int], None]
"""Takes a number of bytes that were read."""


class Box(Protocol):
    """What a source was found in: the folder that was given, or an unpacked archive."""

    def find(self, name: str) -> Path | None:
        """Return the regular file called `name` (`/` between folders, no `..`); null where there is none."""
        ...


class Folder:
    """A folder that was given; nothing outside of it is reached through it.

    Args:
        root: the folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def find(self, name: str) -> Path | None:
        """Return the file called `name`; one that a link leads out of the folder to is not there."""
        try:
            found = (self._root / name).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            return None
        inside = found.is_relative_to(self._root)
        return found if inside and stat.S_ISREG(found.stat().st_mode) else None


class Source:
    """Implements `SourceFile`.

    Args:
        box: what it was found in.
        inner: its name there.
        name: what people and tapes call it: below what was given, never an absolute path.
        tick: told what is read of its bytes.

    Raises:
        RefusedError: a link leads out of the box, or it is no regular file.
        InputError: it cannot be opened.
    """

    def __init__(self, box: Box, inner: str, *, name: str | None = None, tick: Tick | None = None) -> None:
        path = box.find(inner)
        self.name = inner if name is None else name
        if path is None:
            raise RefusedError("a link that leads out of what was given, or no regular file", where=self.name)
        self.path = path
        self._box = box
        self._inner = inner
        self._tick = tick
        try:
            self.size = path.stat().st_size
            with path.open("rb") as file:
                self._start = file.read(HEAD + len(_BOM))
        except OSError as error:
            raise InputError(error.strerror or "cannot be read", where=self.name) from error

    @cached_property
    def head(self) -> bytes:
        """Its first 64 KiB, a BOM removed."""
        return self._start.removeprefix(_BOM)[:HEAD]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of its bytes."""
        if self.size <= len(self._start):
            return hashlib.sha256(self._start[: self.size]).hexdigest()
        seen = hashlib.sha256()
        with _File(self.path, self.size, None) as file:
            while block := file.read(_BLOCK):
                seen.update(block)
        return seen.hexdigest()

    def open(self) -> BinaryIO:
        """Return its bytes as they were when its size was taken: what is added meanwhile is not seen."""
        return io.BufferedReader(_File(self.path, self.size, self._tick), _BLOCK)

    def sibling(self, name: str) -> SourceFile | None:
        """Return a file by its path relative to this one's folder; null where there is none, or it would climb out."""
        if not name or "\0" in name or "\\" in name or name.startswith("/"):
            return None
        inner = posixpath.normpath(posixpath.join(posixpath.dirname(self._inner), name))
        if inner.startswith("../") or inner == ".." or self._box.find(inner) is None:
            return None
        prefix = self.name.removesuffix(self._inner)
        return Source(self._box, inner, name=f"{prefix}{inner}")


class _File(io.FileIO):
    """The first `size` bytes of a file.

    `io.BufferedReader` asks it for a block at a time, so that counting costs nothing.
    """

    def __init__(self, path: Path, size: int, tick: Tick | None) -> None:
        super().__init__(path, "rb")
        self._size = size
        self._seen = 0
        self._report = tick

    def readinto(self, buffer: Any) -> int:
        room = self._size - self.tell()
        view = memoryview(buffer)
        count = super().readinto(view[:room] if room < len(view) else view) if room > 0 else 0
        self._told(count or 0)
        return count or 0

    def read(self, size: int | None = -1) -> bytes:
        room = max(self._size - self.tell(), 0)
        data = super().read(room if size is None or size < 0 else min(size, room)) or b""
        self._told(len(data))
        return data

    def readall(self) -> bytes:
        parts = []
        while block := self.read(self._size):
            parts.append(block)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _told(self, count: int) -> None:
        """Report each byte once, however often it is read."""
        at = self.tell()
        if self._report is not None and at > self._seen and count:
            self._report(at - self._seen)
            self._seen = at


def is_stream(path: Path) -> bool:
    """Tell whether `path` is a pipe, such as the shell's `<(…)`."""
    return stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116
