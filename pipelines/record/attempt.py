"""Record one item: attempts until one does not fail on our side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldtape.collectors.recorder import Recorder, make_header
from worldtape.errors import ConfigError, StorageError
from worldtape.pipelines.record.item import Item
from worldtape.pipelines.record.job import JobConfig, environment_config
from worldtape.pipelines.record.kinds import ENVIRONMENTS, make_policy
from worldtape.pipelines.record.outcome import Outcome, outcome_of
from worldtape.pipelines.record.present import Seen, state_of
from worldtape.pipelines.record.trial import wait_for_backend
from worldtape.schemas import End, EndStatus, EventKind, Lineage, Status
from worldtape.storage import TapeWriter, tape_path


@dataclass(frozen=True, slots=True)
class Bench:
    """What all items of a job share."""

    job: JobConfig
    lake: str
    """A local folder."""


async def record_item(bench: Bench, item: Item) -> Outcome:
    """Record `item`; an attempt that failed on our side is tried again, and stays on its tape as what it was.

    An attempt whose tape exists was made before (a worker died after it and Dask gave the item to another one):
    it is not made twice.

    Raises:
        OutageError: the backend does not answer any more.
    """
    parent, made, failed = item.parent, 0, 0
    outcome = outcome_of(item, Seen("", EndStatus.FAILED, reason="no attempt is left"))
    for trajectory_id in item.ids:
        seen = _found(bench, trajectory_id)
        if seen is None:
            made += 1
            end = await _attempt(bench, item, item.attempt + failed, trajectory_id, parent)
            seen = Seen(trajectory_id, end.status, end.reward, end.reason, end.steps)
            if seen.outage:
                await wait_for_backend(bench.job)
        outcome = outcome_of(item, seen, attempts=made)
        failed += not seen.outage
        if seen.state not in {EndStatus.FAILED, EndStatus.INTERRUPTED} or failed == item.tries:
            break
        parent = trajectory_id
    return outcome


def _found(bench: Bench, trajectory_id: str) -> Seen | None:
    for sealed in (True, False):
        path = tape_path(Path(bench.lake), trajectory_id, sealed=sealed)
        if path.exists():
            return state_of(path, trajectory_id)
    return None


async def _attempt(bench: Bench, item: Item, number: int, trajectory_id: str, parent: str | None) -> End:
    job = bench.job
    kind = ENVIRONMENTS[job.environment["kind"]]()
    environment = kind.make(environment_config(job), item.task)
    policy = make_policy(job.policy, item.task, item.seed, job.environment["kind"])
    header = make_header(
        environment,
        policy.spec,
        task=item.task.task,
        lineage=Lineage(parent=parent, kind="retry") if parent else None,
        extra=_extra(job, item, number),
    ).model_copy(update={"trajectory_id": trajectory_id})
    tape = TapeWriter.create(bench.lake, header, durability=job.durability)
    recorder = Recorder(environment, tape, task=item.task.task)
    seconds = item.task.timeout or job.max_seconds
    try:
        async with recorder:
            await recorder.run(policy, max_steps=job.max_steps, max_seconds=seconds)
            if not _broken(recorder):
                verdict = await kind.verify(environment, item.task, timeout_s=job.verify_seconds)
                recorder.reward = verdict.reward
                if verdict.seen:
                    tape.append(EventKind.NOTICE, {"code": "verifier", **verdict.seen})
    except (ConfigError, StorageError):
        raise
    except Exception as error:  # noqa: BLE001 - a failed trajectory is data
        return recorder.end or End(status=EndStatus.FAILED, reason=f"{type(error).__name__}: {error}")
    assert recorder.end is not None
    return recorder.end


def _broken(recorder: Recorder) -> bool:
    """Say whether our side failed under the last action, and let the tape end so."""
    if not recorder.history.turns or recorder.last.outcome.status != Status.INFRA_ERROR:
        return False
    error = recorder.last.outcome.error
    reason = f"the environment failed: {error.message if error and error.message else 'it is gone'}"
    recorder.end = End(status=EndStatus.FAILED, reason=reason, steps=len(recorder.history.turns))
    return True


def _extra(job: JobConfig, item: Item, number: int) -> dict[str, Any]:
    return {
        "job": job.name,
        "item": item.key,
        "repeat": item.repeat,
        "attempt": number,
        "seed": item.seed,
        "setup": item.task.setup.model_dump(mode="json"),
    }
