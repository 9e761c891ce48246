"""`worldtape doctor`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from worldtape.cli._console import print_json, print_table, say

_MARKS = {"ok": "ok", "limited": "limited", "missing": "MISSING"}


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print one object.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 where anything is missing.")] = False,
    reap: Annotated[bool, typer.Option("--reap", help="Remove what recorders that are gone have left.")] = False,
) -> None:
    """Name each component, its state, and the command that brings it.

    Example: `worldtape doctor`
    """
    from worldtape.pipelines.doctor import examine

    found = examine(reap=reap)
    if json:
        print_json(asdict(found))
    else:
        rows = [
            (one.name, _MARKS[one.state], one.version, one.needed_for, one.detail, one.fix) for one in found.components
        ]
        print_table(("component", "state", "version", "for", "detail", "brought by"), rows)
        for name in found.leftovers:
            what = "removed" if name in found.removed else "worldtape doctor --reap removes it"
            say(f"left by a recorder that is gone: {name} ({what})")
    if strict and found.missing:
        raise typer.Exit(1)
