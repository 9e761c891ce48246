"""The seam between a lake and foreign files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, ClassVar, Protocol

from worldtape.schemas.domain import Domain

Row = Mapping[str, Any]
"""A row of a table by its columns: JSON columns as the texts they are, times as microseconds since 1970 UTC."""


class RecordedEvent(Protocol):
    """An event of a tape; see `EventKind` for what `data` holds."""

    @property
    def kind(self) -> str:
        """One of `EventKind`, or a kind that a newer minor version added."""
        ...

    @property
    def wall_us(self) -> int:
        """Microseconds since 1970 UTC; may step back."""
        ...

    @property
    def mono_ns(self) -> int:
        """Nanoseconds since the header; never decreases."""
        ...

    @property
    def step(self) -> int | None:
        """The step it belongs to."""
        ...

    @property
    def data(self) -> dict[str, Any]:
        """Its payload."""
        ...


class RecordedTape(Protocol):
    """A tape that is read; `storage.TapeReader` is one."""

    header: dict[str, Any]

    def events(self) -> Iterator[Any]:
        """Give the `RecordedEvent`s from the header on."""
        ...

    def payload(self, event: Any, /) -> bytes:
        """Return the bytes of a `data` event."""
        ...


class Episode(Protocol):
    """One trajectory of a lake, recorded or imported, as an exporter sees it."""

    @property
    def trajectory(self) -> Row:
        """Its row of `trajectories`."""
        ...

    @property
    def transitions(self) -> Sequence[Row]:
        """Its rows of `transitions`, by step."""
        ...

    def tape(self) -> RecordedTape | None:
        """Return its tape, for the bytes; null where the lake holds it no more. It is valid while this one is written.

        Raises:
            FormatError: the tape is damaged.
        """
        ...

    def blob(self, ref: str) -> bytes:
        """Return the bytes of a blob of the lake.

        Raises:
            NotFoundError: the lake has no such blob.
        """
        ...


class Exporter(Protocol):
    """Writes one foreign format. One file, one class, no state; the same episode always gives the same bytes."""

    name: ClassVar[str]
    """As in `--format`: `atif`."""
    title: ClassVar[str]
    version: ClassVar[str]
    """The version of the format that is written."""
    domains: ClassVar[tuple[Domain, ...]]
    """What it can write; trajectories of other domains are left out without being asked."""
    suffix: ClassVar[str]
    """How its files end: `.json`."""
    lines: ClassVar[bool]
    """True: an episode is one or more whole lines, and many stand in one file. False: a file for each episode."""
    loses: ClassVar[tuple[str, ...]]
    """Columns of `transitions` that do not survive a round trip through our importer of this format.

    Ids are never among them: an imported trajectory has an id of its own.
    """

    def unfit(self, episode: Episode) -> str | None:
        """Return why this episode cannot be written, in words that many share (`no tape`); null: it can."""
        ...

    def write(self, episode: Episode, out: BinaryIO) -> int | None:
        """Write the episode, and return how many of its transitions stand in it; null: all of them.

        `out` only takes bytes, one after the other.

        Raises:
            WorldtapeError: it cannot be written after all; what was written of it is thrown away.
        """
        ...
