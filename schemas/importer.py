"""The seam between foreign files and tapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, ClassVar, Protocol

from worldtape.schemas.domain import Domain
from worldtape.schemas.imported import Imported, Rejected
from worldtape.schemas.lossiness import Lossiness


class SourceFile(Protocol):
    """A file of somebody else, on disk or inside an archive. It is data: nothing in it is ever run or fetched."""

    name: str
    """Its path below what was given, `/` between folders and archive members."""
    size: int

    @property
    def digest(self) -> str:
        """SHA-256 of its bytes."""
        ...

    @property
    def head(self) -> bytes:
        """Its first bytes (64 KiB), a UTF-8 BOM removed."""
        ...

    def open(self) -> BinaryIO:
        """Return its bytes as a stream."""
        ...

    def sibling(self, name: str) -> SourceFile | None:
        """Return a file by its path relative to this one's folder; null where there is none, or it would climb out."""
        ...


class Importer(Protocol):
    """Reads one foreign format. One file, one class, no state."""

    name: ClassVar[str]
    """As in `--format`: `atif`."""
    title: ClassVar[str]
    versions: ClassVar[str]
    """Versions of the format that it reads, for people: `1.0–1.8`."""
    domains: ClassVar[tuple[Domain, ...]]
    lossiness: ClassVar[tuple[Lossiness, ...]]
    """Codes that its trajectories may carry."""

    def sniff(self, source: SourceFile) -> bool:
        """Say from the first bytes (never from the extension) whether this is a file of this format."""
        ...

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give the trajectories of `source`, one after the other, in constant memory where the format allows it.

        Raises:
            VersionError: written by a version that this importer does not know; the message names it.
            FormatError: the file as a whole cannot be read.
            InputError: there is nothing to import (predictions only, tasks only), with the reason.
        """
        ...
