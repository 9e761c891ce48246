"""`worldtape recover`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from worldtape.cli._console import complain, print_json, progress, say

if TYPE_CHECKING:
    from worldtape.storage import Recovered


def recover(
    lake: Annotated[str, typer.Argument(help="The lake's folder or address.")],
    json: Annotated[bool, typer.Option("--json", help="Print what was done as one object.")] = False,
) -> None:
    """Repair a lake after a crash: seal interrupted tapes, set torn tails aside, remove orphans.

    Tapes that somebody is writing and sealed tapes are left alone. Exit code 1: something could not be repaired.

    Example: `worldtape recover ./worldtape-demo/lake`
    """
    from worldtape.storage import recover as repair

    with progress() as bar:
        task = bar.add_task("tapes", total=None)
        done = repair(lake, progress=lambda at, total: bar.update(task, completed=at, total=total))
    if json:
        print_json(asdict(done))
    else:
        _tell(done)
    for problem in done.tapes.problems:
        complain(problem)
    if done.tapes.problems:
        raise typer.Exit(1)


def _tell(done: Recovered) -> None:
    tapes, parts = done.tapes, done.parts
    for repair in tapes.repaired:
        typer.echo(str(repair))
    for name in parts.orphans:
        typer.echo(f"{name}: orphan removed")
    for name in parts.damaged:
        typer.echo(f"{name}: damaged, set aside")
    say(
        f"{len(tapes.repaired)} tapes repaired, {tapes.sealed} sealed before, {tapes.locked} being written; "
        f"{len(parts.orphans)} orphans and {tapes.temporary + len(parts.temporary)} half-written files removed"
    )
