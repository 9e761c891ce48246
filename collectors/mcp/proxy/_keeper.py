"""Between what passes and the tape: a bounded queue and one writing thread, so that a disk never holds anybody up."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from worldtape.schemas import End, EndStatus, EventKind, Tape

PATIENCE_S = 0.1
"""So long bytes wait for the tape before they are passed on all the same."""
MOST_BYTES = 64 << 20
"""So much may wait in memory for a disk that is slow; what comes on top is passed on and not recorded."""
_LAST_S = 30.0


@dataclass(slots=True)
class _Item:
    channel: str
    data: bytes
    mono_ns: int
    written: threading.Lock = field(default_factory=threading.Lock)


class Sync(Protocol):
    """Makes a tape survive a crash of the machine."""

    def __call__(self) -> None: ...

    def close(self) -> None:
        """Let go of the tape."""
        ...


class Keeper:
    """Puts bytes on a tape before they are passed on.

    `put` returns as soon as the bytes are written to the tape's file (so they survive the death of this process), at
    the latest after `patience_s`; then nobody waits any more until the tape has caught up, so that a disk that stands
    still holds up each direction once. What waits is at most `most_bytes`; beyond, bytes are counted and a notice
    `overrun` says what is missing.

    Args:
        tape: its header is written.
        sync: makes the tape's file survive a crash of the machine; called from a thread of its own after every burst
            of writing, so that nobody waits for it. None: never.
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
        self._mutex = threading.Lock()
        self._waiting = 0
        self._behind = False
        self._gap: Counter[str] | None = None
        self._dirty, self._over = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=self._write, daemon=True)]
        if sync is not None:
            self._threads.append(threading.Thread(target=self._flush, daemon=True))
        for thread in self._threads:
            thread.start()

    def put(self, channel: str, data: bytes) -> None:
        """Hand bytes to the tape; afterwards they may be passed on."""
        item = _Item(channel, data, time.monotonic_ns())
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
            wait = not self._behind
            self._queue.put(item)
        if wait and not item.written.acquire(timeout=self._patience_s):
            with self._mutex:
                self._behind = self._waiting > 0

    def note(self, code: str, **facts: object) -> None:
        """Put a notice on the tape, after all that was put before."""
        self._queue.put((code, facts))

    def close(self, end: End) -> bool:
        """Write what waits and seal the tape; tell whether it is sealed. A disk that stands still is not waited for."""
        self._queue.put(None)
        self._threads[0].join(_LAST_S)
        self._over.set()
        self._dirty.set()
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
                if isinstance(item, _Item):
                    self._tape(item.channel, item.data, item.mono_ns)
                else:
                    code, facts = item if isinstance(item, tuple) else ("overrun", self._closed(item))
                    self._tape.append(EventKind.NOTICE, {"code": code, **facts})
                self._dirty.set()
            except OSError as error:  # the tape's next whole event says what is missing
                self.failed = str(error)
            finally:
                if isinstance(item, _Item):
                    item.written.release()
                    with self._mutex:
                        self._waiting -= len(item.data)
                        self._behind = self._behind and self._waiting > 0

    def _closed(self, gap: Counter[str]) -> dict[str, object]:
        with self._mutex:
            if self._gap is gap:
                self._gap = None
            return {"bytes": dict(gap)}

    def _flush(self) -> None:
        assert self._sync is not None
        while True:
            self._dirty.wait()
            if self._over.is_set():
                self._sync.close()
                return
            self._dirty.clear()
            try:
                self._sync()
            except OSError as error:
                self.failed = str(error)
                return


__all__ = ["MOST_BYTES", "PATIENCE_S", "Keeper"]
