"""The driver of a projection."""

from __future__ import annotations

import os
from collections.abc import Callable

from worldtape.pipelines._cluster import cluster, in_windows
from worldtape.pipelines.project._member import Member
from worldtape.pipelines.project._part import project_part
from worldtape.pipelines.project._plan import Bounds, Plan, make_plan
from worldtape.pipelines.project._report import ProjectReport
from worldtape.storage import Lake
from worldtape.storage.lake import alone

Progress = Callable[[int, int], None]
"""Called with (parts done, parts to do)."""

PART_TAPES = 512
PART_BYTES = 32 << 20
_WARM = ("pyarrow.parquet", "zstandard", "worldtape.pipelines.project._part", "worldtape.collectors.renderers")


def project(
    lake: str | os.PathLike[str] | Lake,
    *,
    part_size: int = PART_TAPES,
    part_bytes: int = PART_BYTES,
    scheduler: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ProjectReport:
    """Lay every recording of a lake into its two tables; what is there already and unchanged costs nothing.

    The rows are a pure function of the tapes: delete the tables and project again, and the same files are there. Tapes
    that somebody is still writing are left for the next run; interrupted ones are projected as far as they go. A tape
    that cannot be read is set aside with its reason, and the rest goes on.

    Args:
        lake: where it lies, or an open `Lake`.
        part_size: most tapes of a new part; parts that are there keep theirs.
        part_bytes: most bytes of a new part's tapes, as they lie on disk.
        scheduler: address of a Dask scheduler (`tcp://…`) whose workers see the lake.
        workers: processes of a local cluster; 0: in this process. Never changes a byte of the result.
        progress: called after every part.

    Raises:
        NotFoundError: there is no lake.
        StorageError: a part cannot be written.
        LockedError: somebody else is projecting, curating or moving the parts of this lake.
    """
    lake = lake if isinstance(lake, Lake) else Lake.open(lake)
    with alone(lake):
        plan = make_plan(lake, Bounds(part_size, part_bytes))
        return _carry_out(lake, plan, scheduler, workers, progress)


def _carry_out(
    lake: Lake, plan: Plan, scheduler: str | None, workers: int | None, progress: Progress | None
) -> ProjectReport:
    report = ProjectReport(recordings=plan.recordings, live=plan.live, set_aside=plan.set_aside)
    for member in plan.standing:
        _count(report, member)
    if plan.works:
        _run(plan, report, scheduler, workers, progress)
    report.parts = len(lake.parts("trajectories"))
    report.set_aside = dict(sorted(report.set_aside.items()))
    return report


def _run(
    plan: Plan, report: ProjectReport, scheduler: str | None, workers: int | None, progress: Progress | None
) -> None:
    with cluster(scheduler, 0 if len(plan.works) == 1 and scheduler is None else workers, warm=_WARM) as client:
        for done, (_, written) in enumerate(in_windows(client, project_part, plan.works), start=1):
            if written.tables:
                report.projected += 1
                report.workers[written.worker] += 1
            for member in written.members:
                _count(report, member)
            if progress is not None:
                progress(done, len(plan.works))


def _count(report: ProjectReport, member: Member) -> None:
    if member.reason is not None:
        report.set_aside[member.trajectory_id] = member.reason
        return
    report.trajectories += 1
    report.transitions += member.transitions
    report.unknown += member.unknown
    report.mismatched += member.mismatched
    report.interrupted += member.interrupted
