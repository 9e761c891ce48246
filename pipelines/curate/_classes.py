"""The stage `turn_classes`: class and loss weight of every turn that has an observation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worldtape.filters.turn_classes import TurnClasses, classify
from worldtape.pipelines._stage import Context, Stage

if TYPE_CHECKING:
    import polars as pl

CLASSES = "turn_classes"


def classes_stage(config: TurnClasses) -> Stage:
    """Return the stage."""
    return Stage(CLASSES, "1", classify_part, config)


def classify_part(context: Context) -> pl.DataFrame:
    """Classify one part."""
    import polars as pl

    columns = ("trajectory_id", "step", "action_kind", "action_text", "observation_text")
    turns = context.lake.read(context.pair.transitions, columns).filter(pl.col("observation_text").is_not_null())
    return pl.concat([turns.select("trajectory_id", "step"), classify(turns, context.config)], how="horizontal")
