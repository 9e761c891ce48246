"""Filters applied to a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from worldtape.filters._filter import Filter

if TYPE_CHECKING:
    import polars as pl


def judge(chosen: Filter, turns: pl.DataFrame) -> pl.DataFrame:
    """Return `keep` (bool), `reason` (null where kept) and `score` (null where there is none), row by row."""
    import polars as pl

    score = chosen.score()
    judged = turns.select(
        keep=chosen.keep().fill_null(value=True), score=pl.lit(None, pl.Float64) if score is None else score
    )
    return judged.select("keep", _reason(chosen.reason), pl.col("score").cast(pl.Float64))


def first_reason(filters: Sequence[Filter], turns: pl.DataFrame) -> pl.DataFrame:
    """Return the verdict of the first filter that rejects each row: `keep`, `reason`, `score`."""
    import polars as pl

    keep = [f"keep{place}" for place in range(len(filters))]
    columns: list[pl.Expr] = []
    for name, chosen in zip(keep, filters, strict=True):
        score = chosen.score()
        columns.append(chosen.keep().fill_null(value=True).alias(name))
        columns.append((pl.lit(None) if score is None else score).cast(pl.Float64).alias(f"{name}.score"))
    judged = turns.select(pl.col("trajectory_id"), *columns)
    reason = pl.coalesce(
        *(pl.when(~pl.col(name)).then(pl.lit(f.reason)) for name, f in zip(keep, filters, strict=True)),
        pl.lit(None, pl.String),
    )
    score = pl.coalesce(
        *(pl.when(~pl.col(name)).then(pl.col(f"{name}.score")) for name in keep), pl.lit(None, pl.Float64)
    )
    kept = pl.all_horizontal(pl.lit(value=True), *keep)
    return judged.with_columns(keep=kept, reason=reason, score=score).select("keep", "reason", "score")


def _reason(reason: str) -> pl.Expr:
    import polars as pl

    return pl.when(~pl.col("keep")).then(pl.lit(reason)).otherwise(pl.lit(None, pl.String)).alias("reason")
