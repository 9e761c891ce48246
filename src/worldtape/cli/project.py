"""`worldtape project`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from worldtape.cli._console import print_json, print_table, progress, say
from worldtape.cli._text import clean

if TYPE_CHECKING:
    from worldtape.pipelines.project import ProjectReport


def project(
    lake: Annotated[str, typer.Argument(help="The lake's folder or address.")],
    part_size: Annotated[int, typer.Option("--part-size", min=1, help="Most recordings of a new part.")] = 512,
    scheduler: Annotated[str | None, typer.Option("--scheduler", help="Address of a Dask scheduler.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=0, help="Local processes; 0: in this one.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one object.")] = False,
) -> None:
    """Lay recordings into the lake's tables; what is there and unchanged costs nothing.

    A tape that cannot be read is named and set aside while the rest goes on; the exit code is 1 then.

    Example: `worldtape project ./worldtape-demo/lake`
    """
    from worldtape.pipelines.project import project as run

    with progress() as bar:
        task = bar.add_task("parts", total=None)
        report = run(
            lake,
            part_size=part_size,
            scheduler=scheduler,
            workers=workers,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if json:
        print_json(report.to_dict())
    else:
        _tell(report)
    if report.set_aside:
        raise typer.Exit(1)


def _tell(report: ProjectReport) -> None:
    lines = [
        ("recordings", report.recordings),
        ("still being written", -len(report.live)),
        ("set aside", -len(report.set_aside)),
        ("trajectories", report.trajectories),
        ("  of these interrupted", report.interrupted),
        ("transitions", report.transitions),
        ("  of these without a result", report.unknown),
        ("observations that render otherwise than live", report.mismatched),
    ]
    print_table(["", "count"], lines)
    for trajectory_id, reason in report.set_aside.items():
        say(f"set aside {trajectory_id}: {clean(reason)}")
    for trajectory_id in report.live:
        say(f"still being written: {trajectory_id}")
    say(f"{report.parts} parts, {report.projected} written now")
