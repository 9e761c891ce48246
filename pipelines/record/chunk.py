"""Several items at once in one process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from worldtape.pipelines.record.attempt import Bench, record_item
from worldtape.pipelines.record.item import Item
from worldtape.pipelines.record.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one Dask task does."""

    bench: Bench
    items: tuple[Item, ...]


def record_chunk(chunk: Chunk) -> list[Outcome]:
    """Record all items of `chunk`; run by a Dask worker. After `stop_here` it returns what was done until then."""
    outcomes: list[Outcome] = []

    async def run() -> None:
        running.begin()
        await record_all(chunk.bench, chunk.items, outcomes.append)

    with _Running() as running, suppress(asyncio.CancelledError):
        asyncio.run(run())
    return outcomes


async def record_all(bench: Bench, items: Sequence[Item], done: Callable[[Outcome], None]) -> None:
    """Record `items`, `concurrency` sandboxes at once, and hand over each outcome as it comes.

    When it is cancelled, or one item raises, the others are cancelled too: their tapes stay as interrupted and
    their sandboxes are removed before this returns.
    """
    waiting = iter(items)

    async def lane() -> None:
        for item in waiting:
            done(await record_item(bench, item))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(bench.job.concurrency, len(items))):
                group.create_task(lane())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


_all: set[_Running] = set()
_changed = threading.Condition()


class _Running:
    """A chunk that `stop_here` can cancel; it counts as running until its event loop has cleaned up after itself."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._stopped = False

    def begin(self) -> None:
        """Be the current asyncio task."""
        with _changed:
            self._task = asyncio.current_task()
            if self._stopped:
                self.stop()

    def stop(self) -> None:
        """Cancel the task, or let it be cancelled as it begins."""
        self._stopped = True
        if self._task is not None:
            self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    def __enter__(self) -> Self:
        with _changed:
            _all.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        with _changed:
            _all.discard(self)
            _changed.notify_all()


def stop_here(wait_s: float = 20.0) -> int:
    """Cancel every chunk that runs in this process, wait until their sandboxes are gone, and say how many remain."""
    with _changed:
        for running in _all:
            running.stop()
        _changed.wait_for(lambda: not _all, timeout=wait_s)
        return len(_all)
