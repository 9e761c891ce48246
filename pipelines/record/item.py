"""The unit of work: one task, one repeat."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.tasks import TaskFile, load_suite
from worldtape.pipelines.record.job import JobConfig, identity
from worldtape.schemas import canonical_json


@dataclass(frozen=True, slots=True)
class Item:
    """One trajectory to be recorded."""

    key: str
    """The same task, repeat, seed, policy, environment and limits always give the same key."""
    task: TaskFile
    repeat: int
    seed: int
    attempt: int = 0
    """The number of the first attempt to be made; more than 0 after a failure in an earlier run."""
    parent: str | None = None
    """The trajectory of the attempt before."""
    tries: int = 1
    """How many attempts may fail before the item does."""
    ids: tuple[str, ...] = ()
    """One trajectory id for each recording that may be begun: starts that no backend answered are no attempts."""


def items(job: JobConfig) -> Iterator[Item]:
    """Yield the items of a job, every task once before any is repeated.

    Raises:
        NotFoundError: no such suite, task or tag.
        ConfigError: a task file is wrong.
    """
    chosen = load_suite(job.suite).choose(tasks=job.tasks, tags=job.tags, limit=job.limit)
    same = identity(job)
    for repeat in range(job.repeats):
        for task in chosen:
            yield Item(_key(job, same, task, repeat), task, repeat, _seed(job, task, repeat))


def _key(job: JobConfig, same: dict[str, Any], task: TaskFile, repeat: int) -> str:
    what = {
        "suite": task.suite,
        "task": task.id,
        "content": task.digest,
        "repeat": repeat,
        "seed": job.seed,
        "limits": [job.max_steps, job.max_seconds],
    } | same
    return hashlib.sha256(canonical_json(what).encode()).hexdigest()[:32]


def _seed(job: JobConfig, task: TaskFile, repeat: int) -> int:
    names = f"{job.seed}\x1f{task.suite}\x1f{task.id}\x1f{repeat}"
    return int.from_bytes(hashlib.sha256(names.encode()).digest()[:4], "big")
