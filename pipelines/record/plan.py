"""What a run has to do: the items of the job that are missing in the lake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from worldtape.pipelines.record.item import Item, items
from worldtape.pipelines.record.job import JobConfig
from worldtape.pipelines.record.present import HELD, Seen, present
from worldtape.schemas import EndStatus, new_id
from worldtape.storage import Lake

_OUTAGES = 3
"""So many short outages one item lives through in a run."""


@dataclass(slots=True)
class Plan:
    """Items to record, and those that are there."""

    missing: list[Item] = field(default_factory=list)
    done: dict[str, Seen] = field(default_factory=dict)
    """By item: the tape that settles it; a failed one where the retries are used up."""
    elsewhere: list[str] = field(default_factory=list)
    """Items that another process is recording."""

    @property
    def total(self) -> int:
        """How many items the job has."""
        return len(self.missing) + len(self.done) + len(self.elsewhere)


def make_plan(job: JobConfig, lake: Lake | None, *, retry_failed: bool = False) -> Plan:
    """Compare a job with a lake; None: there is none yet.

    A recording that was interrupted never counts as an attempt, nor does one whose backend did not answer; one that
    failed otherwise on our side does. With `retry_failed`, those without attempts left get as many again.
    """
    wanted = {item.key: item for item in items(job)}
    seen = {} if lake is None else present(lake, wanted)
    plan = Plan()
    for key, item in wanted.items():
        _place(plan, item, seen.get(key, ()), job.retries, retry_failed=retry_failed)
    return plan


def _place(plan: Plan, item: Item, seen: Sequence[Seen], retries: int, *, retry_failed: bool) -> None:
    failed = [tape for tape in seen if tape.state == EndStatus.FAILED and not tape.outage]
    left = retries + 1 - len(failed)
    whole = [tape for tape in seen if tape.state not in {EndStatus.FAILED, EndStatus.INTERRUPTED, HELD}]
    if whole:
        plan.done[item.key] = whole[-1]
    elif any(tape.state == HELD for tape in seen):
        plan.elsewhere.append(item.key)
    elif left <= 0 and not retry_failed:
        plan.done[item.key] = failed[-1]
    else:
        tries = left if left > 0 else retries + 1
        ids = tuple(new_id() for _ in range(tries + _OUTAGES))
        parent = seen[-1].trajectory_id if seen else None
        plan.missing.append(replace(item, attempt=len(failed), parent=parent, tries=tries, ids=ids))
