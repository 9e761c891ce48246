"""`worldtape curate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worldtape.cli._console import print_json, print_table, progress, say
from worldtape.cli._funnel import print_funnel

if TYPE_CHECKING:
    from worldtape.pipelines.curate import CurateReport


def curate(
    lake: Annotated[str, typer.Argument(help="The projected lake's folder or address.")],
    config: Annotated[Path | None, typer.Option("--config", help="YAML file with settings.")] = None,
    scheduler: Annotated[str | None, typer.Option("--scheduler", help="Address of a Dask scheduler.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=0, help="Local processes; 0: in this one.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one object.")] = False,
) -> None:
    """Judge every turn: rules, exact duplicates, turn classes, pools; ends with the funnel.

    Example: `worldtape curate ./worldtape-demo/lake`
    """
    from worldtape.pipelines.curate import CurateConfig
    from worldtape.pipelines.curate import curate as run
    from worldtape.schemas.settings import read_settings

    settings = None if config is None else read_settings(CurateConfig, config)
    with progress() as bar:
        task = bar.add_task("curate", total=None)
        report = run(
            lake,
            config=settings,
            scheduler=scheduler,
            workers=workers,
            progress=lambda stage, done, total: bar.update(task, description=stage, completed=done, total=total),
        )
    if json:
        print_json(report.to_dict())
    else:
        _tell(report)


def _tell(report: CurateReport) -> None:
    print_funnel(report.funnel)
    print_table(["turn class", "transitions"], report.classes.items())
    ran = sum(stage.ran for stage in report.stages)
    say(f"{ran} notes written, {sum(stage.kept for stage in report.stages)} were there already")
