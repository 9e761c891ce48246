"""`worldtape import`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worldtape.cli._console import print_json, print_table, progress, say
from worldtape.cli._text import clean

if TYPE_CHECKING:
    from worldtape.pipelines.importing import FormatReport, ImportReport

_SHOWN = 20


def import_(
    paths: Annotated[list[str], typer.Argument(help="Files, folders, archives; - for standard input.")],
    lake: Annotated[Path, typer.Option("--lake", help="The lake; made where there is none.")],
    fmt: Annotated[
        str | None, typer.Option("--format", help="The format of these files, instead of a look at them.")
    ] = None,
    scheduler: Annotated[str | None, typer.Option("--scheduler", help="Address of a Dask scheduler.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=0, help="Local processes; 0: in this one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as one object.")] = False,
) -> None:
    """Import what others recorded: each trajectory becomes a tape; what cannot be imported is listed with its reason.

    The format is told from the first bytes of a file. Importing a file again adds nothing. Exit code 1: something was
    refused or rejected.

    Example: `worldtape import ~/.claude/projects runs.tar.gz --lake lake`

    Example: `zcat rows.jsonl.gz | worldtape import - --lake lake --format messages`
    """
    from worldtape.pipelines.importing import import_files

    with progress(in_bytes=True) as bar:
        line = bar.add_task("importing", total=None)
        report = import_files(
            paths,
            lake,
            format=fmt,
            scheduler=scheduler,
            workers=workers,
            progress=lambda done, total: bar.update(line, completed=done, total=total),
        )
    if as_json:
        print_json(report.to_dict())
    else:
        _tell(report, lake)
    if not report.ok:
        sys.exit(1)


def _tell(report: ImportReport, lake: Path) -> None:
    columns = ("format", "files", "trajectories", "transitions", "present", "rejected", "orphans", "lossiness")
    rows = [_row(name, one) for name, one in report.formats.items()]
    if len(rows) > 1:
        rows.append((*_row("all", report.total)[:-2], "", ""))
    if rows:
        print_table(columns, rows)
    _list("refused", report.refused)
    _list("rejected", [(f"{one.source} {one.locator}".rstrip(), one.reason) for one in report.rejected])
    _list("unknown", report.unknown)
    out = f"{len(report.refused)} refused, {len(report.unknown)} unknown"
    say(f"{report.files} files: {report.imported} imported, {out} ({report.archives} archives opened)")
    if report.total.trajectories:
        say(f"next: worldtape project {lake}")


def _row(name: str, one: FormatReport) -> tuple[object, ...]:
    counts = (one.files, one.trajectories, one.transitions, one.present, one.rejected)
    codes = " ".join(f"{code}={count}" for code, count in sorted(one.lossiness.items()))
    return (name, *counts, " ".join(f"{c}={n}" for c, n in sorted(one.orphans.items())), codes)


def _list(title: str, pairs: list[tuple[str, str]]) -> None:
    """Print what did not come in, the first twenty; --json has all."""
    if not pairs:
        return
    rows = [(clean(name), clean(why)) for name, why in pairs[:_SHOWN]]
    if len(pairs) > _SHOWN:
        rows.append((f"… {len(pairs) - _SHOWN} more", "--json lists them"))
    print_table((title, "why"), rows)
