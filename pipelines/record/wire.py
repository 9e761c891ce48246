"""One function that wires an environment to a tape in a lake."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from worldtape.collectors.recorder import PUSH, Recorder, make_header
from worldtape.pipelines.record.where import local_lake
from worldtape.schemas import Environment, Lineage, Policy, PolicySpec, Task
from worldtape.storage import Lake, TapeWriter


def open_recorder(
    environment: Environment,
    lake: str | os.PathLike[str],
    *,
    task: Task | None = None,
    policy: Policy | PolicySpec | None = None,
    lineage: Lineage | None = None,
    extra: Mapping[str, Any] | None = None,
    durability: str = "action",
) -> Recorder:
    """Return a recorder of `environment` into a new tape of `lake`, which is made where there is none.

    It is an async context manager: entering starts the environment, leaving seals the tape and removes everything.
    Push actions with `await recorder.step(action)`, or let a policy act with `await recorder.run(policy)`.

    Args:
        environment: not yet started.
        lake: a local folder.
        task: what is to be done, if anything.
        policy: who will act; left out, the header says `push`: a loop of your own.
        lineage: the trajectory that this one branches from.
        extra: whatever you want to find again in the column `extra`.
        durability: `none`, `action` (on disk before the next action) or `event`.

    Raises:
        InputError: the lake is no local folder.
        StorageError: the tape cannot be written.
        ConfigError: the durability is unknown.
    """
    folder = local_lake(lake)
    Lake.open(folder, create=True)
    if policy is None:
        policy = PUSH
    spec = policy if isinstance(policy, PolicySpec) else policy.spec
    header = make_header(environment, spec, task=task, lineage=lineage, extra=dict(extra or {}))
    return Recorder(environment, TapeWriter.create(folder, header, durability=durability), task=task)
