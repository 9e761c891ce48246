"""Between what passes and the tape: who passes bytes on writes them first, and is replaced where the disk stands still.

To hand each frame to a writing thread and wait for it would cost the client milliseconds where processors are scarce.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from worldtape.schemas import End, EndStatus, EventKind, Tape

PATIENCE_S = 0.1
"""So long bytes wait for the tape before they are passed on all the same."""
MOST_BYTES = 64 << 20
"""So much may wait in memory for a disk that is slow; what comes on top is passed on and not recorded."""
_LAST_S = 30.0
SYNC_S = 0.02
"""So often a tape is forced to disk while something is written to it; nobody waits for it."""
_TICK_S = 0.025


@dataclass(slots=True)
class _Item:
    channel: str
    data: bytes
    mono_ns: int
    written: threading.Lock = field(default_factory=threading.Lock)


@dataclass(slots=True)
class _Turn:
    """Somebody is writing by himself."""

    rescue: Callable[[], None]
    since: float
    taken: bool = False


class Sync(Protocol):
    """Makes a tape survive a crash of the machine."""

    def __call__(self) -> None: ...

    def close(self) -> None:
        """Let go of the tape."""
        ...


class Keeper:
    """Puts bytes on a tape before they are passed on.

    `put` returns as soon as the bytes are written to the tape's file (so they survive the death of this process). It
    writes them itself; where that takes longer than `patience_s`, `rescue` is called from another thread: it passes the
    bytes on in place of the caller, who is told so when it returns at last. From then on bytes wait in a queue for a
    thread that writes, and nobody waits for it, until the tape has caught up: a disk that stands still holds up each
    direction once. The queue is at most `most_bytes`; beyond, bytes are counted and a notice `overrun` says what is
    missing.

    Args:
        tape: its header is written.
        sync: makes the tape's file survive a crash of the machine; called from a thread of its own every `SYNC_S`
            while something is written, so that nobody waits for it. None: never.
        patience_s: seconds.
        most_bytes: of the queue.
    """

    def __init__(
        self,
        tape: Tape,
        *,
        sync: Sync | None = None,
        patience_s: float = PATIENCE_S,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.failed: str | None = None
        self._tape = tape
        self._sync = sync
        self._patience_s = patience_s
        self._most = most_bytes
        self._queue: queue.SimpleQueue[_Item | Counter[str] | tuple[str, dict[str, object]] | None]
        self._queue = queue.SimpleQueue()
        self._mutex, self._pen = threading.Lock(), threading.Lock()
        self._waiting = self._items = 0
        self._turn: _Turn | None = None
        self._behind = False
        self._gap: Counter[str] | None = None
        self._dirty, self._over = False, threading.Event()
        self._threads = [threading.Thread(target=self._write, daemon=True)]
        self._threads.append(threading.Thread(target=self._watch, daemon=True))
        if sync is not None:
            self._threads.append(threading.Thread(target=self._flush, daemon=True))
        for thread in self._threads:
            thread.start()

    def put(self, channel: str, data: bytes, rescue: Callable[[], None] | None = None) -> bool:
        """Hand bytes to the tape; afterwards they may be passed on.

        Args:
            channel: of the tape.
            data: the bytes.
            rescue: passes them on, and all that follows, in place of the caller; None: they go through the queue.

        Returns:
            Whether the caller may pass them on; else it has been replaced.
        """
        mono_ns = time.monotonic_ns()
        turn = None if rescue is None else self._begin(rescue)
        if turn is None:
            self._enqueue(_Item(channel, data, mono_ns))
            return True
        try:
            self._tape(channel, data, mono_ns)
            self._dirty = True
        except OSError as error:  # the tape's next whole event says what is missing
            self.failed = str(error)
        finally:
            self._pen.release()
            with self._mutex:
                self._turn = None
                self._behind = self._behind and self._items > 0
        return not turn.taken

    def _begin(self, rescue: Callable[[], None]) -> _Turn | None:
        """Give the caller the pen where nothing waits and nobody else writes."""
        with self._mutex:
            if self._turn is not None or self._items or self._behind or not self._pen.acquire(blocking=False):
                return None
            self._turn = _Turn(rescue, time.monotonic())
            return self._turn

    def _watch(self) -> None:
        """Replace whoever has been writing for too long."""
        while not self._over.wait(_TICK_S):
            with self._mutex:
                turn = self._turn
                stuck = turn is not None and not turn.taken and time.monotonic() - turn.since > self._patience_s
                if turn is None or not stuck:
                    continue
                turn.taken = self._behind = True
            turn.rescue()

    def _enqueue(self, item: _Item) -> None:
        channel, data = item.channel, item.data
        item.written.acquire()
        with self._mutex:
            if self._waiting and self._waiting + len(data) > self._most:
                if self._gap is None:
                    self._gap = Counter()
                    self._queue.put(self._gap)
                self._gap[channel] += len(data)
                return
            self._gap = None
            self._waiting += len(data)
            self._items += 1
            wait = not self._behind
            self._queue.put(item)
        if wait and not item.written.acquire(timeout=self._patience_s):
            with self._mutex:
                self._behind = self._items > 0 or self._turn is not None

    def note(self, code: str, **facts: object) -> None:
        """Put a notice on the tape, after all that was put before."""
        self._queue.put((code, facts))

    def close(self, end: End) -> bool:
        """Write what waits and seal the tape; tell whether it is sealed. A disk that stands still is not waited for."""
        self._queue.put(None)
        self._threads[0].join(_LAST_S)
        self._over.set()
        if self._threads[0].is_alive():
            return False
        try:
            if self.failed is not None:
                end = End(status=EndStatus.FAILED, reason=self.failed, steps=end.steps)
            self._tape.seal(end)
        except OSError as error:
            self.failed = str(error)
            return False
        return True

    def _write(self) -> None:
        while (item := self._queue.get()) is not None:
            try:
                with self._pen:
                    self._put(item)
                self._dirty = True
            except OSError as error:  # the tape's next whole event says what is missing
                self.failed = str(error)
            finally:
                if isinstance(item, _Item):
                    item.written.release()
                    with self._mutex:
                        self._waiting -= len(item.data)
                        self._items -= 1
                        self._behind = self._behind and (self._items > 0 or self._turn is not None)

    def _put(self, item: _Item | Counter[str] | tuple[str, dict[str, object]]) -> None:
        if isinstance(item, _Item):
            self._tape(item.channel, item.data, item.mono_ns)
            return
        code, facts = item if isinstance(item, tuple) else ("overrun", self._closed(item))
        self._tape.append(EventKind.NOTICE, {"code": code, **facts})

    def _closed(self, gap: Counter[str]) -> dict[str, object]:
        with self._mutex:
            if self._gap is gap:
                self._gap = None
            return {"bytes": dict(gap)}

    def _flush(self) -> None:
        assert self._sync is not None
        while not self._over.wait(SYNC_S):
            if self._dirty:
                self._dirty = False
                try:
                    self._sync()
                except OSError as error:
                    self.failed = str(error)
        self._sync.close()


__all__ = ["MOST_BYTES", "PATIENCE_S", "Keeper"]
