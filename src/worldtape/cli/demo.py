"""`worldtape demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worldtape.cli._console import print_json, print_table, progress, say
from worldtape.cli._funnel import print_funnel

if TYPE_CHECKING:
    from worldtape.pipelines.demo import DemoReport


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder for the lake and the corpora.")] = Path("worldtape-demo"),
    as_json: Annotated[bool, typer.Option("--json", help="Print every report as one object.")] = False,
) -> None:
    """Record terminals, web pages, MCP calls and searches, build two corpora, show what became of every recording.

    Example: `worldtape demo --out ./worldtape-demo`
    """
    from worldtape.pipelines.demo import demo as run

    with progress() as bar:
        line = bar.add_task("starting", total=None)
        report = run(
            out, progress=lambda what, done, total: bar.update(line, description=what, completed=done, total=total)
        )
    if as_json:
        print_json(report.to_dict())
    else:
        _tell(report, out)


def _tell(report: DemoReport, out: Path) -> None:
    from worldtape.pipelines.demo import QUERY

    for reason in report.place.missing:
        say(reason)
    say(f"recorded in {report.place}")
    if report.records:
        print_table(
            ("job", "items", "there already", "failed", "solved", "actions"), report.recorded(), title="\nrecorded"
        )
    print_funnel(report.curate.funnel, title="\nfrom recordings to corpora")
    print_table(list(report.answer[0]), [list(row.values()) for row in report.answer], title=f"\n{QUERY}")
    rows = {build.corpus: sum(build.rows.values()) for build in report.builds}
    print_table(
        ("what", "where", "rows"),
        [("lake", report.lake, None), *((n, str(out / n), c) for n, c in rows.items())],
        title="\nwhere it is",
    )
    say(f"\nask it:  worldtape query {report.lake} 'FROM turns LIMIT 1'")
    say(f"load it: python -c \"from datasets import load_dataset; print(load_dataset('{out / 'cpt'}')['train'][0])\"")
