"""`worldtape compact`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from worldtape.cli._console import print_json, progress, say


def compact(
    lake: Annotated[str, typer.Argument(help="The lake's folder or address.")],
    target_mb: Annotated[
        int, typer.Option(help="Uncompressed size of a part, MiB; also what is held in memory.")
    ] = 512,
    json: Annotated[bool, typer.Option("--json", help="Print what was done as one object.")] = False,
) -> None:
    """Merge small parts into bigger ones; rows and notes stay the same.

    Example: `worldtape compact ./worldtape-demo/lake`
    """
    from worldtape.storage import Lake
    from worldtape.storage.lake import compact as merge_parts

    with progress() as bar:
        task = bar.add_task("parts", total=None)
        done = merge_parts(
            Lake.open(lake),
            target_bytes=target_mb << 20,
            progress=lambda at, total: bar.update(task, completed=at, total=total),
        )
    if json:
        print_json(asdict(done))
    else:
        say(f"{done.before} parts became {done.after}; {done.merged} went into bigger ones")
