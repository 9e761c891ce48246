"""`worldtape record`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from worldtape.cli._console import complain, print_json, print_table, progress, say


def record(
    job: Annotated[Path | None, typer.Argument(help="The job file (YAML).")] = None,
    lake: Annotated[
        str | None, typer.Option("--lake", help="The lake, a local folder; made where there is none.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="A Dask scheduler (tcp://…) instead of a local cluster.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=0, help="Worker processes; 0: all in this one.")] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Record items again whose attempts are used up.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of job files and stop.")] = False,
) -> None:
    """Record the tasks of a job file into a lake; what the lake already holds is not recorded again.

    Items that failed on our side, and a run that had to stop, are exit code 1; what is recorded is kept.

    Example: `worldtape record examples/terminal.yaml --lake lake`
    """
    from worldtape.pipelines.record import job_schema
    from worldtape.pipelines.record import record as run

    if schema:
        print_json(job_schema())
        return
    if job is None or lake is None:
        raise typer.BadParameter("give a job file and --lake", param_hint="JOB --lake")
    with progress() as bar:
        line = bar.add_task("starting", total=None)
        report = run(
            job,
            lake,
            scheduler=scheduler,
            workers=workers,
            retry_failed=retry_failed,
            progress=lambda done, total: bar.update(line, completed=done, total=total),
            watch=lambda words: bar.update(line, description=words),
        )
    if as_json:
        print_json(report.to_dict())
    else:
        print_table(("what", "count"), report.rows(), title=f"record {report.job} → {report.lake}")
    if report.interrupted:
        say("stopped; what is recorded is kept, and the same command goes on")
        sys.exit(130)
    if report.stopped:
        complain(report.stopped)
    if report.failed or report.present_failed:
        say("failed items are recorded again with --retry-failed")
    if report.stopped or report.failed:
        sys.exit(1)
