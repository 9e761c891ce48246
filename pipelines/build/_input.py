"""One part of the lake as recordings: what stays of each trajectory, and why the rest does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import orjson

from worldtape.pipelines.build._counts import Counts
from worldtape.pipelines.build._notes import Notes
from worldtape.pipelines.build._recording import Recording
from worldtape.pipelines.build._turn import Turn
from worldtape.schemas import Status

if TYPE_CHECKING:
    import polars as pl

TRAJECTORY_COLUMNS = (
    *("trajectory_id", "domain", "environment", "task_id", "instruction", "policy_kind", "licence"),
    *("initial_text", "initial_state", "tools"),
)
TRANSITION_COLUMNS = (
    *("transition_id", "trajectory_id", "step", "action_kind", "action_text", "observation_text"),
    *("renderer", "renderer_version", "status", "fault"),
)

Row = dict[str, Any]


def recordings(
    trajectories: pl.DataFrame, transitions: pl.DataFrame, notes: Notes, *, pool: str, counts: Counts
) -> Iterator[Recording]:
    """Yield what stays of each trajectory of `pool`, sorted by id.

    Every transition that is not in a yielded recording is counted in `dropped` under one reason, every trajectory
    that is not yielded in `trajectories_dropped`.
    """
    heads = {row["trajectory_id"]: row for row in trajectories.iter_rows(named=True)}
    counts.add("read", "trajectories", len(heads))
    counts.add("read", "transitions", len(transitions))
    seen = set()
    for trajectory_id, rows in groupby(transitions.iter_rows(named=True), key=itemgetter("trajectory_id")):
        seen.add(trajectory_id)
        recording = _recording(heads[trajectory_id], rows, notes, pool, counts)
        if recording is not None:
            yield recording
    counts.add("trajectories_dropped", "no transition", len(heads) - len(seen))


def _recording(head: Row, rows: Iterable[Row], notes: Notes, pool: str, counts: Counts) -> Recording | None:
    trajectory_id = head["trajectory_id"]
    found, split = notes.pool(trajectory_id)
    whole = notes.reasons.get((trajectory_id, None)) or (None if found == pool else f"pool: {found}")
    if whole is not None:
        counts.add("dropped", whole, sum(1 for _ in rows))
        counts.add("trajectories_dropped", whole)
        return None
    renderers: dict[str, None] = {}
    turns = list(_turns(head, rows, notes, counts, renderers))
    if not turns:
        counts.add("trajectories_dropped", "no turn stays")
        return None
    return Recording(row=head, split=split, turns=turns, renderer=",".join(renderers))


def _turns(head: Row, rows: Iterable[Row], notes: Notes, counts: Counts, renderers: dict[str, None]) -> Iterator[Turn]:
    before, broken, number = head["initial_text"], True, 0
    for row in rows:
        reason = notes.reason(row["trajectory_id"], row["step"]) or _unusable(row)
        if reason is None and before is None and row["step"] > 0:
            reason = "state before unknown"
        if reason is not None:
            counts.add("dropped", reason)
            broken = True
        else:
            number += 1
            renderers.setdefault(f"{row['renderer']}@{row['renderer_version']}")
            yield _turn(row, number, before, broken, notes)
            broken = False
        before = row["observation_text"] if _believed(row, reason) else None


def _turn(row: Row, number: int, before: str | None, broken: bool, notes: Notes) -> Turn:
    turn_class, weight = notes.turn_class(row["trajectory_id"], row["step"])
    fault = orjson.loads(row["fault"]) if row["fault"] else {}
    return Turn(
        transition_id=row["transition_id"],
        step=row["step"],
        number=number,
        kind=row["action_kind"],
        action=row["action_text"],
        observation=row["observation_text"],
        before=before,
        broken=broken,
        status=row["status"],
        turn_class=turn_class,
        weight=weight,
        instruction=fault.get("instruction"),
    )


def _believed(row: Row, reason: str | None) -> bool:
    """Tell whether the text of a row shows the environment's state, so that it may stand before the next action."""
    return row["status"] != Status.INFRA_ERROR and not (reason or "").endswith(": render_mismatch")


def _unusable(row: Row) -> str | None:
    """Hold what no corpus may have, whatever curation said."""
    if row["status"] == Status.INFRA_ERROR:
        return "infra_error"
    if row["observation_text"] is None:
        return "no observation"
    return None if row["action_text"] else "no action"
