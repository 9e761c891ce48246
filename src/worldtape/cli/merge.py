"""`worldtape merge`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from worldtape.cli._console import complain, print_json, progress, say


def merge(
    lakes: Annotated[list[str], typer.Argument(help="Lakes to read: folders or addresses.")],
    into: Annotated[str, typer.Option("--into", help="The lake to write; made where there is none.")],
    json: Annotated[bool, typer.Option("--json", help="Print what was done as one object.")] = False,
) -> None:
    """Copy lakes into one: tapes, blobs, tables and notes. What is there already adds nothing.

    Example: `worldtape merge ./monday ./tuesday --into s3://bucket/week`
    """
    from worldtape.storage import Lake
    from worldtape.storage.lake import merge as copy

    sources = [Lake.open(lake) for lake in lakes]
    with progress() as bar:
        task = bar.add_task("tapes and parts", total=None)
        done = copy(
            Lake.open(into, create=True),
            sources,
            progress=lambda at, total: bar.update(task, completed=at, total=total),
        )
    if json:
        print_json(asdict(done))
    else:
        say(
            f"{done.tapes} tapes, {done.blobs} blobs and {done.trajectories} trajectories in {done.parts} parts came in"
        )
        say(f"{done.known} trajectories were there already, {done.refused} were taken down and stay out")
        for name in done.forgotten:
            say(f"{name} was taken down in a source, and now here as well")
    for blob in done.missing:
        complain(f"{blob}: no lake has this blob, so its tape cannot be projected whole")
    for path in done.open:
        complain(f"{path}: not sealed, left where it is; `worldtape recover` that lake and merge again")
