"""`worldtape export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worldtape.cli._console import print_json, print_table, progress, say

if TYPE_CHECKING:
    from worldtape.pipelines.exporting import ExportReport

_SHOWN = 20


def export(
    lake: Annotated[str, typer.Argument(help="The projected lake's folder or address.")],
    out: Annotated[Path, typer.Option("--out", help="A new folder, or one with an older export of the same format.")],
    fmt: Annotated[str, typer.Option("--format", help="The format to write, such as atif.")],
    where: Annotated[str | None, typer.Option("--where", help="A condition in SQL on `trajectories`.")] = None,
    scheduler: Annotated[str | None, typer.Option("--scheduler", help="Address of a Dask scheduler.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=0, help="Local processes; 0: in this one.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one object.")] = False,
) -> None:
    """Write the trajectories of a lake in a format that other tools read; what does not fit is listed with its reason.

    Exit code 1: something that fits could not be written.

    Example: `worldtape export ./worldtape-demo/lake --format atif --out ./atif`

    Example: `worldtape export lake --format messages --out ./chat --where "end_status = 'completed'"`
    """
    from worldtape.pipelines.exporting import export as run

    with progress() as bar:
        task = bar.add_task("parts", total=None)
        report = run(
            lake,
            out,
            format=fmt,
            where=where,
            scheduler=scheduler,
            workers=workers,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if json:
        print_json(report.to_dict())
    else:
        _tell(report, out)
    if not report.ok:
        sys.exit(1)


def _tell(report: ExportReport, out: Path) -> None:
    counts = (report.trajectories, report.transitions, report.files, report.bytes)
    print_table(("format", "trajectories", "transitions", "files", "bytes"), [(report.format, *counts)])
    if report.left_out:
        print_table(("left out", "trajectories"), sorted(report.left_out.items()))
    if failed := [one for one in report.named if one.failed][:_SHOWN]:
        print_table(("failed", "why"), [(one.trajectory_id, one.reason) for one in failed])
    if report.skipped:
        say(f"transitions without a place in the format: {report.skipped}")
    say(f"{report.trajectories} of {report.asked} trajectories in {out}")
