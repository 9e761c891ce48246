"""What became of one item."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

from worldtape.pipelines.record.item import Item
from worldtape.pipelines.record.present import Seen
from worldtape.schemas import EndStatus


@dataclass(frozen=True, slots=True)
class Outcome:
    """The last attempt of an item, in plain values: it travels between processes."""

    key: str
    task: str
    repeat: int
    trajectory_id: str
    status: str
    """An end status."""
    reason: str | None = None
    reward: float | None = None
    unjudged: bool = False
    """The task has a verifier, and it gave no verdict."""
    steps: int = 0
    attempts: int = 1
    """Attempts of this run, this one included."""
    worker: str = ""
    """Host and process that recorded it."""


def outcome_of(item: Item, seen: Seen, *, attempts: int = 0) -> Outcome:
    """Return the outcome of `item`, whose last tape was `seen`, as this process tells it."""
    return Outcome(
        key=item.key,
        task=item.task.id,
        repeat=item.repeat,
        trajectory_id=seen.trajectory_id,
        status=str(seen.state),
        reason=seen.reason,
        reward=seen.reward,
        unjudged=_unjudged(item, seen),
        steps=seen.steps,
        attempts=attempts,
        worker=f"{socket.gethostname()}:{os.getpid()}" if attempts else "",
    )


def _unjudged(item: Item, seen: Seen) -> bool:
    whole = seen.state not in {EndStatus.FAILED, EndStatus.INTERRUPTED}
    return whole and item.task.verifier is not None and seen.reward is None
