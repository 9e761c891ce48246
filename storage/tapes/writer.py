"""Writing a tape."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from worldtape.errors import ConfigError, InputError, LockedError, StorageError, boundary
from worldtape.schemas import End, EventKind, Header
from worldtape.storage._disk import flush, fsync_folder, hold, is_at, local_folder, make_folder, write_all
from worldtape.storage.blobs import Blobs
from worldtape.storage.tapes._line import INLINE, LONGEST, encode, encode_blob, encode_bytes, encode_value
from worldtape.storage.tapes._lost import Lost
from worldtape.storage.tapes._seal import seal_file
from worldtape.storage.tapes.clock import Clock
from worldtape.storage.tapes.paths import tape_path

DURABILITY = ("none", "action", "event")


class TapeWriter:
    """An append-only recording; make one with `TapeWriter.create`. It may be called from several threads.

    Attributes:
        trajectory_id: the id in the header.
        path: the file as it stands now.
        durability: `none`: nothing waits for the disk; `action`: `sync` does; `event`: every event does.
    """

    def __init__(self, lake: Path, path: Path, fd: int, durability: str, clock: Clock) -> None:
        self.trajectory_id = ""
        self.path = path
        self.durability = durability
        self._blobs = Blobs(lake)
        self._unsynced: set[str] = set()
        self._fd = fd
        self._clock = clock
        self._mutex = threading.RLock()
        self._size = self._seq = self._mono = 0
        self._wall: int | None = None
        self._zero = clock.mono_ns()
        self._step: int | None = None
        self._ended = False
        self._lost = Lost()

    @classmethod
    def create(
        cls, lake: str | Path, header: Header, *, durability: str = "action", clock: Clock | None = None
    ) -> TapeWriter:
        """Start the tape of `header.trajectory_id` in `lake` and write its header.

        Raises:
            LockedError: somebody is writing this tape.
            StorageError: the tape exists already, or the disk cannot be written.
            InputError: the id cannot name a file.
        """
        if durability not in DURABILITY:
            raise ConfigError(f"{durability!r} is not a durability", fix=f"choose one of {', '.join(DURABILITY)}")
        root = local_folder(lake)
        path = tape_path(root, header.trajectory_id)
        with boundary(path):
            make_folder(path.parent, durable=durability != "none")
            fd = _opened(path)
        tape = cls(root, path, fd, durability, clock or Clock())
        tape.trajectory_id = header.trajectory_id
        try:
            tape.append(EventKind.HEADER, header.to_dict())
            if durability != "none":
                with boundary(path):
                    flush(fd)
                    fsync_folder(path.parent)
        except BaseException:
            tape.close()
            raise
        return tape

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __call__(self, channel: str, data: bytes, mono_ns: int) -> None:
        """Record bytes of `channel` that were read at `mono_ns` (`time.monotonic_ns()`).

        Raises:
            StorageError: they are not on the tape (the disk is full); the next event that is says so in a notice.
        """
        with self._mutex:
            self._check()
            try:
                self._put(EventKind.DATA, self._payload(channel, data), self._step, mono_ns - self._zero)
            except StorageError:
                self._lost.add(EventKind.DATA, channel, len(data))
                raise

    def append(self, kind: str, data: Mapping[str, Any], *, step: int | None = None) -> int:
        """Write one event and return its `seq`.

        Raises:
            StorageError: it is not on the tape.
        """
        payload = encode_value(data)
        with self._mutex:
            self._check()
            try:
                seq = self._put(kind, payload, step, self._clock.mono_ns() - self._zero)
            except StorageError:
                self._lost.add(kind)
                raise
            if kind in {EventKind.ACTION, EventKind.RESULT}:
                self._step = step if kind == EventKind.ACTION else None
            return seq

    def blob(self, data: bytes) -> str:
        """Keep `data` as a blob and return its `sha256:…`."""
        with self._mutex:
            ref = self._blobs.put(data, durable=self.durability == "event")
            if self.durability == "action":
                self._unsynced.add(ref)
            return ref

    def sync(self) -> None:
        """Make everything written so far survive a crash of the machine; nothing with durability `none`."""
        if self.durability == "none":
            return
        with self._mutex, boundary(self.path):
            self._check(ended=True)
            for ref in self._unsynced:
                self._blobs.sync(ref)
            self._unsynced.clear()
            flush(self._fd)

    def seal(self, end: End) -> None:
        """Write the end, compress the tape and let go of it.

        After a failure everything stands in the `.jsonl`; call it again when there is space, or leave it to `recover`.
        """
        with self._mutex:
            self._check(ended=self._ended)
            if not self._ended:
                self.append(EventKind.END, end.to_dict())
                self._ended = True
            self.sync()
            with boundary(self.path):
                self.path = seal_file(self.path, durable=self.durability != "none")
            self.close()

    def close(self) -> None:
        """Let go of the tape; without `seal` it stays an interrupted recording."""
        with self._mutex:
            fd, self._fd = self._fd, -1
            if fd >= 0:
                os.close(fd)

    def _check(self, *, ended: bool = False) -> None:
        if self._fd < 0 or (self._ended and not ended):
            raise StorageError("the tape takes no more events: it is closed", where=self.path)

    def _payload(self, channel: str, data: bytes) -> bytes:
        if len(data) > INLINE:
            return encode_blob(channel, self.blob(data), len(data))
        return encode_bytes(channel, data)

    def _put(self, kind: str, payload: bytes, step: int | None, mono: int) -> int:
        wall = self._clock.wall_us()
        self._mono = max(mono, self._mono)
        if self._lost:
            self._write(EventKind.NOTICE, encode_value(self._lost.notice()), step, wall)
            self._lost = Lost()
        if self._wall is not None and wall < self._wall:
            notice = {"code": "clock_step", "from": self._wall, "to": wall}
            self._write(EventKind.NOTICE, encode_value(notice), step, wall)
        return self._write(kind, payload, step, wall)

    def _write(self, kind: str, payload: bytes, step: int | None, wall: int) -> int:
        seq = self._seq
        line = encode(seq, kind, wall, self._mono, step, payload)
        if len(line) > LONGEST:
            what = f"an event of {len(line) >> 20} MiB does not fit on a tape"
            raise InputError(what, where=self.path, fix=f"at most {LONGEST >> 20} MiB; keep what is big as a blob")
        try:
            write_all(self._fd, line)
            if self.durability == "event":
                flush(self._fd)
        except BaseException as error:
            self._undo(error)
            raise
        self._size += len(line)
        self._seq = seq + 1
        self._wall = wall
        return seq

    def _undo(self, error: BaseException) -> None:
        """Cut off what stands of an unfinished line, so that the tape ends with a whole one."""
        with boundary(self.path):
            try:
                os.ftruncate(self._fd, self._size)
            except OSError:
                self.close()
                raise
            if isinstance(error, OSError):
                raise error


def _opened(path: Path) -> int:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        _claim(fd, path)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _claim(fd: int, path: Path) -> None:
    sealed = path.with_name(f"{path.name}.zst")
    if not hold(fd) or not is_at(fd, path):
        raise LockedError("somebody else is writing this tape", where=path, fix="one trajectory has one writer")
    if os.fstat(fd).st_size:
        raise StorageError("the tape exists already", where=path, fix="worldtape recover seals what is there")
    if sealed.exists():
        path.unlink()
        raise StorageError("the tape exists already", where=sealed, fix="record under another id")
