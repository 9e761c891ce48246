"""Recordings that are in no table."""

from __future__ import annotations

from worldtape.pipelines.project._member import STAGE, from_note
from worldtape.storage import Lake


def unprojected(lake: Lake) -> tuple[int, dict[str, int]]:
    """Return how many recordings a lake has, and reason to number of those that are in no table.

    Reasons: `set_aside` (the tape cannot be read; the note `projection` says why) and `not_projected` (still being
    written, without a readable header, or newer than the last projection).
    """
    rows = {member for part in lake.parts("trajectories") for member in lake.members(part)}
    missing = {tape.trajectory_id for tape in lake.tapes()} - rows
    aside: set[str] = set()
    if missing:
        for note in lake.note_files(STAGE):
            members = from_note(lake.read(note))
            aside |= {member.trajectory_id for member in members if member.reason is not None} & missing
    return len(rows) + len(missing), {"set_aside": len(aside), "not_projected": len(missing) - len(aside)}
