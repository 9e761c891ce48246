"""`worldtape doctor`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from worldtape.cli._console import print_json, print_table, say

if TYPE_CHECKING:
    from worldtape.pipelines.doctor import Component


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print one object.")] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 1 where something is missing that a command needs today.",
        ),
    ] = False,
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
        rows = [(one.name, _state(one), one.version, one.needed_for, one.detail) for one in found.components]
        print_table(("component", "state", "version", "for", "detail"), rows)
        fixes = [f"{one.name}: {one.fix}\n" for one in found.components if one.fix is not None]
        if fixes:
            sys.stdout.write("\nwhat brings the rest:\n" + "".join(fixes))
        for name in found.leftovers:
            what = "removed" if name in found.removed else "worldtape doctor --reap removes it"
            say(f"left by a recorder that is gone: {name} ({what})")
    if strict and found.lacking:
        raise typer.Exit(1)


def _state(one: Component) -> str:
    return one.state.upper() if one.state == "missing" and one.required else one.state
