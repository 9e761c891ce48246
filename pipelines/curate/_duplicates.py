"""The stages `hashes` and `exact_duplicates`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worldtape.filters.duplicates import hash_turns, repeated
from worldtape.pipelines._stage import Context, Stage, Stages
from worldtape.pipelines.curate._config import DuplicatesConfig
from worldtape.pipelines.curate._frame import turns_of
from worldtape.pipelines.curate._rules import RULES
from worldtape.pipelines.curate._verdicts import standing, verdicts
from worldtape.schemas.settings import Settings

if TYPE_CHECKING:
    import polars as pl

    from worldtape.pipelines._stage import Pair
    from worldtape.storage import Lake

HASHES = "hashes"
DUPLICATES = "exact_duplicates"
BUCKET_ROWS = 4_000_000
"""Hashes compared by one task: about 300 MB."""


class _Nothing(Settings):
    """No settings."""


@dataclass(frozen=True, slots=True)
class _Bucket:
    """All hashes with one remainder."""

    lake: Lake
    pairs: tuple[Pair, ...]
    config: DuplicatesConfig
    number: int
    of: int
    target: str
    dropped: tuple[str, ...] = ()
    """Files that name the trajectories that are copies; empty while these are looked for."""
    turns: bool = False


def hashes_stage() -> Stage:
    """Return the stage that hashes every turn and every trajectory."""
    return Stage(HASHES, "1", hash_part, _Nothing())


def hash_part(context: Context) -> pl.DataFrame:
    """Hash one part."""
    return hash_turns(turns_of(context))


def duplicates_stage(stages: Stages, config: DuplicatesConfig, rows: int) -> Stage:
    """Compare the hashes of all parts, and return the stage that writes down what came out.

    Only hashes and ids leave a part. Copies of whole trajectories are found first; their turns do not count when
    repeated turns are looked for. What `rules` rejected is compared with nothing.
    """
    digest = stages.digest(HASHES, RULES)
    settings = Stage(DUPLICATES, "1", judge_part, config).settings
    place = f".cache/{DUPLICATES}/{settings[:16]}-{digest[:16]}"
    buckets = max(1, -(-rows // BUCKET_ROWS))
    wholes = [f"{place}-trajectories-{number:05}.parquet" for number in range(buckets)]
    turns = [f"{place}-turns-{number:05}.parquet" for number in range(buckets)]
    common: dict[str, Any] = {"lake": stages.lake, "pairs": tuple(stages.pairs), "config": config, "of": buckets}
    _compare(stages, [_Bucket(number=n, target=name, **common) for n, name in enumerate(wholes)])
    again = [
        _Bucket(number=n, target=name, dropped=tuple(wholes), turns=True, **common) for n, name in enumerate(turns)
    ]
    _compare(stages, again)
    return Stage(
        DUPLICATES, "1", judge_part, config, needs=(HASHES, RULES), shared=(*wholes, *turns), shared_digest=digest
    )


def judge_part(context: Context) -> pl.DataFrame:
    """Write down what was found out about one part."""
    import polars as pl

    note = context.note(RULES)
    judged = standing(context.note(HASHES).select("trajectory_id", "step"), note)
    mine = judged["trajectory_id"].unique()
    found = pl.concat(
        [_read(context.lake, name).filter(pl.col("trajectory_id").is_in(mine.implode())) for name in context.shared]
    )
    rows = judged.join(found, on=["trajectory_id", "step"], how="left", nulls_equal=True)
    of = pl.when(pl.col("of_step").is_null()).then(pl.col("of_id")).otherwise(pl.format("{}:{}", "of_id", "of_step"))
    lost = pl.col("of_id").is_not_null()
    reason = pl.when(pl.col("step").is_null()).then(pl.lit("same_trajectory")).otherwise(pl.lit("same_turn"))
    return verdicts(
        DUPLICATES,
        rows.with_columns(
            keep=~lost,
            reason=pl.when(lost).then(reason),
            score=pl.col("count").cast(pl.Float64),
            evidence=pl.when(lost).then(pl.concat_str(pl.lit('{"of":"'), of, pl.lit('"}'))),
        ),
    )


def _compare(stages: Stages, buckets: list[_Bucket]) -> None:
    missing = [bucket for bucket in buckets if not stages.lake.store.exists(bucket.target)]
    for _ in stages.each(DUPLICATES, compare_bucket, missing):
        pass


def compare_bucket(bucket: _Bucket) -> str:
    """Find the repetitions among the hashes of one bucket, on a worker."""
    import polars as pl

    frames = [_hashes(bucket, pair) for pair in bucket.pairs]
    rows = pl.concat(frames) if frames else _empty()
    if bucket.turns:
        copies = pl.concat([_read(bucket.lake, name).select("trajectory_id") for name in bucket.dropped])
        rows = rows.join(copies, on="trajectory_id", how="anti")
    cap = bucket.config.cap if bucket.turns else (1 if bucket.config.trajectories else None)
    found = repeated(rows, rows.height + 1 if cap is None else cap)
    with bucket.lake.store.writing(bucket.target) as path:
        found.write_parquet(path)
    return bucket.target


def _hashes(bucket: _Bucket, pair: Pair) -> pl.DataFrame:
    import polars as pl

    context = Context(bucket.lake, pair, None)
    wanted = pl.col("step").is_not_null() if bucket.turns else pl.col("step").is_null()
    rows = context.note(HASHES).filter(wanted & (pl.col("high") % bucket.of == bucket.number))
    return standing(rows, context.note(RULES))


def _empty() -> pl.DataFrame:
    import polars as pl

    types: dict[str, Any] = {"trajectory_id": pl.String, "step": pl.Int64, "high": pl.UInt64, "low": pl.UInt64}
    return pl.DataFrame(schema=types)


def _read(lake: Lake, name: str) -> pl.DataFrame:
    import polars as pl

    with lake.store.open(name) as file:
        return pl.read_parquet(file.read())
