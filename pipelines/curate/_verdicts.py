"""Notes with the columns `VERDICTS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def verdicts(stage: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with `trajectory_id`, `step`, `keep`, `reason`, `score` and `evidence` as a note, sorted."""
    import polars as pl

    note = rows.select(
        pl.col("trajectory_id").cast(pl.String),
        pl.col("step").cast(pl.Int64),
        pl.lit(stage).alias("stage"),
        pl.col("keep").cast(pl.Boolean),
        pl.col("reason").cast(pl.String),
        pl.col("score").cast(pl.Float64),
        pl.col("evidence").cast(pl.String),
    )
    return note.sort("trajectory_id", "step", nulls_last=False)


def rejected(note: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return (trajectories, turns) that a note rejects, by their keys."""
    import polars as pl

    out = note.filter(~pl.col("keep"))
    whole = out.filter(pl.col("step").is_null()).select("trajectory_id")
    return whole, out.filter(pl.col("step").is_not_null()).select("trajectory_id", "step")


def standing(keys: pl.DataFrame, note: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of `keys` (`trajectory_id`, `step`, …) that a note leaves standing."""
    whole, single = rejected(note)
    return keys.join(whole, on="trajectory_id", how="anti").join(
        single, on=["trajectory_id", "step"], how="anti", nulls_equal=False
    )
