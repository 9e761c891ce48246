"""`worldtape forget`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from worldtape.cli._console import print_json, say


def forget(
    lake: Annotated[str, typer.Argument(help="The lake's folder or address.")],
    trajectory_id: Annotated[str, typer.Argument(metavar="ID", help="The whole id of the trajectory.")],
    reason: Annotated[str | None, typer.Option(help="Why; kept beside the hash of the id.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print what was done as one object.")] = False,
) -> None:
    """Take a trajectory down: tape, blobs, rows and notes. It cannot come back by a merge or an import.

    Example: `worldtape forget ./lake 01939f6e-0d5c-7e1a-8f5b-2c6f3a9d4e10 --reason "asked for by its author"`
    """
    from worldtape.storage import Lake
    from worldtape.storage.lake import forget as take_down

    done = take_down(Lake.open(lake), trajectory_id, reason=reason)
    if json:
        print_json(asdict(done))
        return
    say(f"removed {len(done.tapes)} tapes, {done.blobs} blobs, {done.rows} transitions; it cannot come back")
    if done.notes:
        say(f"{len(done.notes)} notes of others named it and were removed: run `worldtape curate {lake}` again")
    if done.set_aside:
        say(f"{len(done.set_aside)} damaged files that named it, or that nobody can read, were removed from set-aside/")
    for child in done.descendants:
        say(f"{child} branches from it and names it: forget it too if it shows what was to be removed")
    for name in done.mentioned_in:
        say(f"still named in {name}, which is not ours to change")
    say(f"out of reach: {done.out_of_reach}")
