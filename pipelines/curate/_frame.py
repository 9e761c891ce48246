"""The frame that filters see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worldtape.pipelines._stage import Context

if TYPE_CHECKING:
    import polars as pl

_HEAD = ("trajectory_id", "domain", "end_status", "initial_text", "tools")
_TURN = (
    *("trajectory_id", "step", "action_kind", "action_text", "action_name", "arguments", "actor", "wait_s"),
    *("observation_text", "settled_by", "status", "exit_code", "error_type", "state_after", "lossiness"),
)


def turns_of(context: Context) -> pl.DataFrame:
    """Return the turns of a part with `before_text`, `changed` and the heads of their trajectories, sorted.

    `changed` is what the environment says of its state after the action; null where it says nothing.
    A trajectory without turns has one row whose `step` is null.
    """
    import polars as pl

    heads = context.lake.read(context.pair.trajectories, _HEAD)
    turns = context.lake.read(context.pair.transitions, _TURN)
    told = pl.col("state_after").str.json_path_match("$.changed")
    turns = turns.with_columns(changed=pl.when(told.is_in(["true", "false"])).then(told == "true")).drop("state_after")
    frame = heads.join(turns, on="trajectory_id", how="left").sort("trajectory_id", "step")
    before = pl.col("observation_text").shift(1).over("trajectory_id")
    first = pl.int_range(pl.len()).over("trajectory_id") == 0
    return frame.with_columns(before_text=pl.when(first).then(pl.col("initial_text")).otherwise(before))
