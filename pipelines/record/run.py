"""Record a job: whatever of it the lake does not hold yet."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from worldtape.errors import NotFoundError
from worldtape.pipelines._cluster import cluster, cores, in_windows
from worldtape.pipelines.record.attempt import Bench
from worldtape.pipelines.record.chunk import Chunk, record_all, record_chunk, stop_here
from worldtape.pipelines.record.item import Item
from worldtape.pipelines.record.job import JobConfig, environment_config, read_job
from worldtape.pipelines.record.kinds import ENVIRONMENTS, make_policy, refuse_strangers
from worldtape.pipelines.record.outcome import Outcome, outcome_of
from worldtape.pipelines.record.plan import Plan, make_plan
from worldtape.pipelines.record.present import HELD, present
from worldtape.pipelines.record.report import RecordReport
from worldtape.pipelines.record.signals import ignore_interrupts, stoppable
from worldtape.pipelines.record.trial import OutageError, start_once
from worldtape.pipelines.record.where import local_lake
from worldtape.schemas import EndStatus
from worldtape.storage import Lake

Progress = Callable[[int, int], None]
"""Called with the items done and all that are to be done."""

_RECORDING = "recording"


def record(
    job: JobConfig | str | os.PathLike[str],
    lake: str | os.PathLike[str],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
    watch: Callable[[str], None] | None = None,
) -> RecordReport:
    """Record what is missing of `job` in `lake`; a second call records nothing twice.

    SIGINT and SIGTERM end it in order: tapes that are being written stay as interrupted, sandboxes are removed, and the
    report says what was done. After a SIGKILL, `worldtape recover` seals what is there. Where the backend answers no
    more, the run ends so too, with `stopped` in the report; that uses up no attempt.

    Args:
        job: a job, or the path of a job file.
        lake: a local folder, made where there is none.
        scheduler: address of a Dask scheduler whose workers see the same lake; else a local cluster.
        workers: instead of the job's.
        retry_failed: give items whose attempts are used up as many again.
        progress: called after every item, or chunk of `concurrency` items on a cluster.
        watch: called with what is done now, in words, and with the newest failure.

    Raises:
        ConfigError: the job file, a task or the policy's settings are wrong.
        NotFoundError: no such file, suite, task, tag or image.
        ComponentError: Docker, namespaces or the scheduler are missing; nothing was recorded then.
        InputError: the lake is no local folder.
        StorageError: it cannot be written.
    """
    job = job if isinstance(job, JobConfig) else read_job(Path(job))
    folder = local_lake(lake)
    plan = make_plan(job, _open(folder), retry_failed=retry_failed)
    report = RecordReport.of(job.name, str(folder), plan)
    if not plan.missing:
        return report
    watch = watch or _deaf
    watch(_starting(job))
    _try_out(job, plan.missing)
    watch(_RECORDING)
    where = Lake.open(folder, create=True)
    bench = Bench(job, str(folder))
    workers = job.workers if workers is None else workers
    tell = _Teller(report, plan, progress, watch)
    with stoppable():
        try:
            if workers == 0 and scheduler is None:
                asyncio.run(record_all(bench, plan.missing, tell))
            else:
                _on_cluster(bench, plan.missing, tell, scheduler, workers)
        except KeyboardInterrupt:
            report.interrupted = True
            _catch_up(report, plan, where)
        except OutageError as error:
            report.stopped = str(error)
            _catch_up(report, plan, where)
    return report


def _open(folder: Path) -> Lake | None:
    try:
        return Lake.open(folder)
    except NotFoundError:
        return None


class _Teller:
    def __init__(
        self, report: RecordReport, plan: Plan, progress: Progress | None, watch: Callable[[str], None]
    ) -> None:
        self._report, self._total, self._progress, self._watch = report, len(plan.missing), progress, watch
        self._failed = 0

    def __call__(self, outcome: Outcome) -> None:
        self._report.outcomes.append(outcome)
        if outcome.status == EndStatus.FAILED:
            self._failed += 1
            self._watch(f"{_RECORDING}; {self._failed} failed, the newest: {outcome.reason or 'unknown'}")
        if self._progress is not None:
            self._progress(len(self._report.outcomes), self._total)


def _deaf(_: str) -> None:
    """Watch nothing."""


def _starting(job: JobConfig) -> str:
    where, image = job.environment.get("sandbox", job.environment["kind"]), job.environment.get("image")
    pulled = f", which pulls {image or 'an image'} where it is missing" if where == "docker" else ""
    return f"starting one environment ({where}){pulled}"


def _try_out(job: JobConfig, missing: Sequence[Item]) -> None:
    """Start one environment and make every policy, so that what cannot work says so once, before any tape."""
    for item in missing:
        refuse_strangers(
            job.environment["kind"], make_policy(job.policy, item.task, item.seed, job.environment["kind"])
        )
    kind = ENVIRONMENTS[job.environment["kind"]]()
    kind.clean(environment_config(job))
    asyncio.run(start_once(job))


def _catch_up(report: RecordReport, plan: Plan, lake: Lake) -> None:
    """Add what workers finished and could not tell any more."""
    told = {outcome.key for outcome in report.outcomes}
    untold = {item.key: item for item in plan.missing if item.key not in told}
    for key, seen in present(lake, untold).items():
        last = seen[-1]
        if last.state not in {HELD, EndStatus.INTERRUPTED, EndStatus.FAILED}:
            report.outcomes.append(outcome_of(untold[key], last))


def _on_cluster(
    bench: Bench, missing: Sequence[Item], tell: _Teller, scheduler: str | None, workers: int | None
) -> None:
    with cluster(scheduler, workers) as client:
        if scheduler is None:
            client.run(ignore_interrupts)
        count = max(1, len(client.nthreads()) if scheduler else workers or cores())
        chunks = list(_chunks(bench, missing, count))
        try:
            for _, outcomes in in_windows(client, record_chunk, chunks):
                for outcome in outcomes:
                    tell(outcome)
        except BaseException:
            with suppress(Exception):
                client.run(stop_here)
            raise


def _chunks(bench: Bench, missing: Sequence[Item], workers: int) -> Iterator[Chunk]:
    size = max(1, min(len(missing) // (2 * workers), bench.job.concurrency))
    for start in range(0, len(missing), size):
        yield Chunk(bench, tuple(missing[start : start + size]))
