"""`worldtape show`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldtape.cli._console import print_json, print_table
from worldtape.cli._text import clean

if TYPE_CHECKING:
    from worldtape.storage.lake import Recording, Summary

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP = 1024


def show(
    lake: Annotated[str, typer.Argument(help="The lake's folder or address.")],
    trajectory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="A trajectory; enough of its id to tell it from others.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one object.")] = False,
) -> None:
    """Show what a lake holds, or one trajectory turn by turn.

    Example: `worldtape show ./worldtape-demo/lake`
    """
    from worldtape.storage import Lake
    from worldtape.storage.lake import recording, summary

    opened = Lake.open(lake)
    found = summary(opened) if trajectory_id is None else recording(opened, trajectory_id)
    if json:
        print_json(asdict(found))
    elif trajectory_id is None:
        _summary(found)  # type: ignore[arg-type]
    else:
        _recording(found)  # type: ignore[arg-type]


def _summary(found: Summary) -> None:
    _line(found.lake)
    _line(f"{found.tapes} tapes ({found.open_tapes} open, {found.unprojected} not in the tables), {found.parts} parts")
    _line(", ".join(f"{name} {_size(size)}" for name, size in found.bytes.items()))
    if found.forgotten:
        _line(f"{found.forgotten} trajectories were taken down")
    for rows in (found.domains, found.statuses, found.ends, found.notes):
        if rows:
            _line("")
            print_table(list(rows[0]), [list(row.values()) for row in rows])


def _recording(found: Recording) -> None:
    about = found.trajectory
    for name in (
        "trajectory_id",
        "domain",
        "backend",
        "image",
        "task_id",
        "instruction",
        "policy_kind",
        "policy_model",
    ):
        if about[name]:
            _line(f"{name:<14} {clean(str(about[name]))}")
    reason = f" ({about['end_reason']})" if about["end_reason"] else ""
    _line(f"{'end':<14} {about['end_status']}{reason}, {about['transitions']} transitions")
    if about["initial_text"]:
        _rule("start")
        _line(clean(about["initial_text"]))
    for turn in found.turns:
        _turn(turn)


def _turn(turn: dict[str, Any]) -> None:
    facts = [str(turn["status"])]
    if turn["exit_code"] is not None:
        facts.append(f"exit {turn['exit_code']}")
    if turn["duration_ms"] is not None:
        facts.append(f"{turn['duration_ms']:.0f} ms")
    if turn["settled_by"]:
        facts.append(f"settled by {turn['settled_by']}")
    facts += turn["lossiness"] or []
    _rule(f"{turn['step']}: {', '.join(facts)}")
    _line(clean(f"> {turn['action_text']}").rstrip("\n"))
    if turn["error_message"]:
        _line(clean(f"! {turn['error_type'] or 'error'}: {turn['error_message']}"))
    _line("(no observation)" if turn["observation_text"] is None else clean(turn["observation_text"]))


def _rule(title: str) -> None:
    _line(f"── {title} ".ljust(80, "─"))


def _line(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _size(size: float) -> str:
    for unit in _UNITS[:-1]:
        if size < _STEP:
            return f"{size:.0f} {unit}"
        size /= _STEP
    return f"{size:.1f} {_UNITS[-1]}"
