"""The stage `rules`: a verdict on every trajectory and every turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worldtape.filters import first_reason
from worldtape.pipelines._stage import Context, Stage
from worldtape.pipelines.curate._config import RulesConfig
from worldtape.pipelines.curate._frame import turns_of
from worldtape.pipelines.curate._verdicts import verdicts

if TYPE_CHECKING:
    import polars as pl

RULES = "rules"


def rules_stage(config: RulesConfig) -> Stage:
    """Return the stage."""
    return Stage(RULES, "2", judge_part, config)


def judge_part(context: Context) -> pl.DataFrame:
    """Judge one part."""
    import polars as pl

    turns = turns_of(context)
    filters = context.config.filters()
    whole = [chosen for chosen in filters if chosen.level == "trajectory"]
    single = [chosen for chosen in filters if chosen.level == "transition"]
    key = turns.select("trajectory_id", "step")
    heads = pl.concat([key, first_reason(whole, turns)], how="horizontal").unique("trajectory_id", keep="first")
    steps = pl.concat([key, first_reason(single, turns)], how="horizontal").filter(pl.col("step").is_not_null())
    return verdicts(
        RULES,
        pl.concat([heads.with_columns(step=pl.lit(None, pl.Int64)), steps]).with_columns(
            evidence=pl.lit(None, pl.String)
        ),
    )
