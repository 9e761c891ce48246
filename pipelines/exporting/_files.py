"""The files of one part: one for each episode, or lines in pieces that become shards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from worldtape.schemas import Exporter

SHARD = 512 << 20
"""A file of lines is ended behind the episode that makes it this long, bytes."""


class Files(Protocol):
    """Where the episodes of one part go."""

    bytes: int

    def episode(self, trajectory_id: str) -> object:
        """Return a context manager that gives a stream; what is written is kept if its block ends well."""
        ...

    def close(self) -> None:
        """Finish the last file."""
        ...


class One:
    """A file for each episode, named by its id.

    Args:
        folder: where they stand.
        exporter: names the suffix.
    """

    def __init__(self, folder: Path, exporter: Exporter) -> None:
        self.bytes = 0
        self._folder = folder
        self._suffix = exporter.suffix

    @contextmanager
    def episode(self, trajectory_id: str) -> Iterator[BinaryIO]:
        """Give the stream of an episode's own file."""
        path = self._folder / f"{trajectory_id}{self._suffix}"
        try:
            with path.open("wb") as file:
                yield file
                self.bytes += file.tell()
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def close(self) -> None:
        """Have nothing to finish."""


class Pieces:
    """Episodes one after the other in files that are renamed to shards afterwards.

    Args:
        folder: where they stand.
        exporter: names the suffix.
        number: of the part, so that sorted names give the order of the parts.
        limit: bytes from which on a file takes no further episode.
    """

    def __init__(self, folder: Path, exporter: Exporter, number: int, *, limit: int = SHARD) -> None:
        self.bytes = 0
        self._folder = folder
        self._number = number
        self._suffix = exporter.suffix
        self._limit = limit
        self._count = 0
        self._file: BinaryIO | None = None
        self._path = folder

    @contextmanager
    def episode(self, _: str) -> Iterator[BinaryIO]:
        """Give the file; what an episode wrote that fails is cut off again."""
        file = self._current()
        start = file.tell()
        try:
            yield file
        except BaseException:
            file.seek(start)
            file.truncate()
            raise
        self.bytes += file.tell() - start

    def _current(self) -> BinaryIO:
        if self._file is not None and self._file.tell() >= self._limit:
            self.close()
        if self._file is None:
            self._path = self._folder / f"{self._number:06d}-{self._count:06d}{self._suffix}"
            self._file = self._path.open("wb")
            self._count += 1
        return self._file

    def close(self) -> None:
        """Finish the last file."""
        if self._file is None:
            return
        empty = not self._file.tell()
        self._file.close()
        self._file = None
        if empty:
            self._path.unlink()


def name_shards(folder: Path, exporter: Exporter) -> int:
    """Rename pieces to `<format>-00000-of-0000N<suffix>` in the order of the parts, and return how many there are."""
    pieces = sorted(folder.glob(f"*{exporter.suffix}"))
    for number, piece in enumerate(pieces):
        piece.rename(folder / f"{exporter.name}-{number:05d}-of-{len(pieces):05d}{exporter.suffix}")
    return len(pieces)
