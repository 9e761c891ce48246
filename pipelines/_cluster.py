"""Where tasks run: a local cluster, somebody's scheduler, or this process."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from worldtape.errors import ComponentError

Item = TypeVar("Item")
Result = TypeVar("Result")

WINDOW = 4
"""Tasks in flight per worker: the scheduler never holds more, however many parts there are."""


class Inline:
    """Stands for a client where `workers=0`: the same tasks, one after the other, in this process."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def cluster(scheduler: str | None = None, workers: int | None = None, *, warm: Sequence[str] = ()) -> Iterator[Any]:
    """Give a `distributed.Client`, and take everything down again.

    Args:
        scheduler: address of a running scheduler (`tcp://…`); its workers need this Worldtape and the lake's path.
        workers: processes of a local cluster, one thread each; default: one per core. 0: no cluster at all, an
            `Inline` that `in_windows` runs in this process.
        warm: modules that every worker imports before the first task, all at once, so that none is late for its share.

    Raises:
        ComponentError: the scheduler does not answer, or no worker starts.
    """
    if scheduler is None and workers == 0:
        yield Inline()
        return
    with _remote(scheduler) if scheduler else _local(cores() if workers is None else workers) as client:
        if warm:
            client.run(_import, tuple(warm))
        yield client


def in_windows(
    client: Any, task: Callable[[Item], Result], items: Iterable[Item], *, window: int | None = None
) -> Iterator[tuple[Item, Result]]:
    """Run `task` on every item and yield `(item, result)` as they are done, in no promised order.

    Args:
        client: what `cluster` gave.
        task: a function of an importable module; it gets paths and returns paths and counters, never data.
        items: taken as they are needed.
        window: tasks in flight; default: `WINDOW` per worker.

    Raises:
        ComponentError: a worker died again and again under one task.
    """
    if isinstance(client, Inline):
        for item in items:
            yield item, task(item)
        return
    distributed = _module("distributed")
    try:
        yield from _windows(client, task, iter(items), window or WINDOW * max(1, len(client.nthreads())))
    except distributed.KilledWorker as error:
        fix = "give it fewer workers or smaller parts; what is done is kept"
        raise ComponentError("a worker died several times under the same task", fix=fix) from error


def _windows(
    client: Any, task: Callable[[Item], Result], items: Iterator[Item], window: int
) -> Iterator[tuple[Item, Result]]:
    distributed, cloudpickle = _module("distributed"), _module("cloudpickle")
    running: dict[str, Item] = {}

    def submit(count: int) -> list[Any]:
        futures = []
        for item in islice(items, count):
            future = client.submit(_call, cloudpickle.dumps((task, item)), pure=False)
            running[future.key] = item
            futures.append(future)
        return futures

    done = distributed.as_completed(submit(window))
    try:
        for future in done:
            result = future.result()
            item = running.pop(future.key)
            future.release()
            for fresh in submit(1):
                done.add(fresh)
            yield item, result
    finally:
        if left := list(done.futures):
            client.cancel(left, force=True)


def _module(name: str) -> Any:
    """Import what has no types of its own."""
    return import_module(name)


def _import(names: tuple[str, ...]) -> None:
    for name in names:
        import_module(name)


def _call(packed: bytes) -> Any:
    """Unpack a task inside itself: one that a worker cannot import is an exception here, and a hang in Dask."""
    task, item = _module("cloudpickle").loads(packed)
    return task(item)


@contextmanager
def _local(workers: int) -> Iterator[Any]:
    dask, distributed = _module("dask"), _module("distributed")
    quiet = {
        "distributed.worker.multiprocessing-method": "spawn",
        "distributed.worker.daemon": True,
        "distributed.admin.system-monitor.gil.enabled": False,
    }
    settings = {
        "n_workers": workers,
        "threads_per_worker": 1,
        "processes": True,
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
        "scheduler_kwargs": {"dashboard": False},
        "memory_limit": 0,
        "silence_logs": logging.CRITICAL,
    }
    with dask.config.set(quiet):
        try:
            with _unnamed_main():
                local = distributed.LocalCluster(**settings)
        except (OSError, RuntimeError, TimeoutError) as error:
            raise ComponentError(f"no worker starts: {error}", fix="run with --workers 0") from error
        with local, distributed.Client(local) as client:
            yield client


@contextmanager
def _remote(scheduler: str) -> Iterator[Any]:
    dask, distributed = _module("dask"), _module("distributed")
    patience = dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
    try:
        client = distributed.Client(scheduler, timeout=min(10, patience))
    except (OSError, ValueError, TimeoutError) as error:
        fix = "start one with `dask scheduler`, or leave --scheduler away"
        raise ComponentError("no Dask scheduler answers", where=scheduler, fix=fix) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=30)
        except TimeoutError as error:
            fix = f"start one with `dask worker {scheduler}`"
            raise ComponentError("the scheduler has no worker", where=scheduler, fix=fix) from error
        yield client


@contextmanager
def _unnamed_main() -> Iterator[None]:
    """Hide the main script from workers, so that a script without a main guard is not run again in each of them."""
    main = sys.modules["__main__"]
    kept = {name: getattr(main, name) for name in ("__spec__", "__file__") if hasattr(main, name)}
    main.__spec__ = None
    if "__file__" in kept:
        del main.__file__
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(main, name, value)
