"""Reading a tape."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, cast

from worldtape.errors import FormatError, NotFoundError, boundary
from worldtape.schemas import EventKind
from worldtape.storage.blobs import Blobs
from worldtape.storage.tapes._head import read_header
from worldtape.storage.tapes._line import decode_all
from worldtape.storage.tapes._scan import Readable, Scan
from worldtape.storage.tapes._unpacked import Unpacked, unpacked
from worldtape.storage.tapes.event import Event
from worldtape.storage.tapes.pack import PACK_NAME, is_packed, pack_at
from worldtape.storage.tapes.paths import SEALED, trajectory_id_of

_KNOWN = frozenset({"seq", "kind", "wall", "mono", "step", "data", "crc"})
_AT_ONCE = 1 << 20
"""Plain bytes up to which a sealed tape is read in one piece."""


class Source(Protocol):
    """Where the bytes of blobs come from."""

    def get(self, ref: str, size: int | None = None, /) -> bytes:
        """Return the bytes of `sha256:<hex>`, which must be `size` where that is given."""
        ...


class TapeReader:
    """A tape, sealed or not, in constant memory. Every event is checked and lifted to the current schema.

    Args:
        path: a `.jsonl` or `.jsonl.zst`; where the first was sealed in the meantime, the second is read. A tape in a
            pack is `<pack>/<trajectory_id>`.
        blobs: where large payloads lie; by default those of the lake that the tape stands in.

    Raises:
        NotFoundError: there is no such file.
        FormatError: it has no header.
        VersionError: a newer major version wrote it.
    """

    def __init__(self, path: str | Path, *, blobs: Source | None = None) -> None:
        self.path = _existing(Path(path))
        self._packed = is_packed(self.path)
        self.sealed = self._packed or self.path.name.endswith(SEALED)
        self._plain = self._at_once()
        self._given = blobs
        self._torn: int | None = None
        with self._opened(first=True) as stream:
            self._lift, self.header = read_header(stream, self.path)
        self.trajectory_id = str(self.header.get("trajectory_id", trajectory_id_of(self.path)))

    @cached_property
    def _blobs(self) -> Source:
        above, folder = 3 if self._packed else 2, self.path.parents
        return self._given or Blobs(folder[above] if len(folder) > above else self.path.parent)

    def _at_once(self) -> bytes | None:
        """Return the plain bytes where they are few."""
        if self._packed:
            return pack_at(self.path.parent).read(self.path.name)
        with boundary(self.path):
            return unpacked(self.path, _AT_ONCE) if self.sealed else None

    @contextmanager
    def _opened(self, *, first: bool = False) -> Iterator[Readable]:
        """Give the plain bytes, of a short tape only its first line where that is enough."""
        if self._plain is not None:
            yield BytesIO(self._plain[: self._plain.find(b"\n") + 1] if first else self._plain)
            return
        with boundary(self.path), self.path.open("rb") as file:
            yield Unpacked(file, self.path) if self.sealed else file

    @property
    def torn_bytes(self) -> int:
        """Bytes of an unfinished event at the end; 0 on a sealed tape."""
        if self._torn is None:
            for _ in self.events(lenient=True):
                pass
        return self._torn or 0

    def events(self, *, lenient: bool = False, remarks: bool = True) -> Iterator[Event]:
        """Yield the events from the header on; a torn tail ends them without an error.

        Args:
            lenient: end at damage as well, with the events before it.
            remarks: false: what no row is made of (thoughts, notices other than `clock_step`) comes without its data,
                much faster.

        Raises:
            FormatError: an event in the middle is damaged, or a sealed tape has no end.
        """
        plain = self._plain
        raws = None if plain is None or len(plain) > _AT_ONCE else decode_all(plain, remarks=remarks)
        if raws and raws[-1]["kind"] == EventKind.END:
            self._torn = 0
            yield from (_event(self._lift(raw)) for raw in raws)
            return
        last = ""
        with self._opened() as stream:
            scan = Scan(stream, self.path, remarks=remarks)
            try:
                for raw in scan:
                    last = raw["kind"]
                    yield _event(self._lift(raw))
            except FormatError:
                if not lenient:
                    raise
        self._torn = 0 if self.sealed else scan.torn
        if not lenient:
            self._judge(scan, last)

    def payload(self, event: Event) -> bytes:
        """Return the bytes of a `data` event.

        Raises:
            FormatError: its blob is missing or damaged, or the event carries no bytes.
        """
        data = event.data
        if "text" in data:
            return cast("str", data["text"]).encode()
        if "b64" in data:
            return b64decode(data["b64"], validate=True)
        if "blob" not in data:
            raise FormatError("the event carries no bytes", where=f"{self.path}:{event.seq + 1}")
        size = data.get("bytes")
        if type(size) is not int or size < 0:
            raise FormatError("the event does not say how big its blob is", where=f"{self.path}:{event.seq + 1}")
        try:
            return self._blobs.get(str(data["blob"]), size)
        except NotFoundError as error:
            raise FormatError(f"the blob {data['blob']} is missing", where=f"{self.path}:{event.seq + 1}") from error

    def _judge(self, scan: Scan, last: str) -> None:
        line = f"{self.path}:{scan.count + 1}"
        if scan.damaged or (self.sealed and scan.torn):
            raise FormatError("the event is damaged", where=line, fix="events(lenient=True) gives those before it")
        if self.sealed and last != EventKind.END:
            raise FormatError("the sealed tape stops before its end", where=line, fix="restore it from a copy")


def _existing(path: Path) -> Path:
    if PACK_NAME.fullmatch(path.name):
        pack_at(path)
        raise FormatError("this is a pack of tapes", where=path, fix="name one of them: <pack>/<trajectory_id>")
    if is_packed(path):
        return path
    sealed = path.with_name(f"{path.name}.zst")
    for candidate in (path, sealed):
        if candidate.is_file():
            return candidate
    raise NotFoundError("no such tape", where=path)


def _event(raw: dict[str, Any]) -> Event:
    event = Event(raw["seq"], raw["kind"], raw["wall"], raw["mono"], raw.get("step"), raw["data"])
    if len(raw) <= len(_KNOWN) and raw.keys() <= _KNOWN:
        return event
    return event._replace(extra={name: value for name, value in raw.items() if name not in _KNOWN})
