"""The stages `hashes` and `exact_duplicates`."""

from __future__ import annotations

import hashlib
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
VERSION = "2"
GROUP_ROWS = 20_000
SPILL_PARTS = 64
BUCKET_ROWS = 4_000_000
"""Hashes compared by one task: about 300 MB."""


class _Nothing(Settings):
    """No settings."""


@dataclass(frozen=True, slots=True)
class _Spill:
    """Some parts, whose hashes are dealt out to one file per bucket."""

    lake: Lake
    pairs: tuple[Pair, ...]
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Bucket:
    """All hashes with one remainder."""

    lake: Lake
    pairs: tuple[Pair, ...]
    """Parts whose notes are read; none where `sources` hold their hashes."""
    sources: tuple[str, ...]
    config: DuplicatesConfig
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

    Only hashes and ids leave a part. Copies of whole trajectories are found first: the one of which `rules` left most
    stays, then the oldest. The turns of copies do not count when repeated turns are looked for. What `rules` rejected
    is compared with nothing.
    """
    digest = stages.digest(HASHES, RULES)
    settings = Stage(DUPLICATES, VERSION, judge_part, config).settings
    place = f".cache/{DUPLICATES}/{settings[:16]}-{digest[:16]}"
    buckets = max(1, -(-rows // BUCKET_ROWS))
    wholes = [f"{place}-trajectories-{number:05}.parquet" for number in range(buckets)]
    turns = [f"{place}-turns-{number:05}.parquet" for number in range(buckets)]
    missing = [name for name in (*wholes, *turns) if not stages.lake.store.exists(name)]
    spills = _spilled(stages, f".cache/{DUPLICATES}/{digest[:16]}", buckets) if missing and buckets > 1 else []
    common: dict[str, Any] = {"lake": stages.lake, "pairs": () if spills else tuple(stages.pairs), "config": config}
    sources = [tuple(spill.targets[number] for spill in spills) for number in range(buckets)]
    _compare(stages, [_Bucket(target=name, sources=sources[n], **common) for n, name in enumerate(wholes)])
    common |= {"dropped": tuple(wholes), "turns": True}
    _compare(stages, [_Bucket(target=name, sources=sources[n], **common) for n, name in enumerate(turns)])
    return Stage(
        DUPLICATES, VERSION, judge_part, config, needs=(HASHES, RULES), shared=(*wholes, *turns), shared_digest=digest
    )


def _spilled(stages: Stages, place: str, buckets: int) -> list[_Spill]:
    """Deal out all hashes to files of one bucket each: every note is read once, however many buckets there are."""
    spills = []
    for number, start in enumerate(range(0, len(stages.pairs), SPILL_PARTS)):
        targets = tuple(f"{place}-spill-{number:05}-{bucket:05}-{buckets}.parquet" for bucket in range(buckets))
        spills.append(_Spill(stages.lake, tuple(stages.pairs[start : start + SPILL_PARTS]), targets))
    for _ in stages.each(DUPLICATES, spill_hashes, spills):
        pass
    return spills


def spill_hashes(spill: _Spill) -> None:
    """Write the hashes of some parts, bucket by bucket, on a worker."""
    import polars as pl

    rows = pl.concat([_hashes(spill.lake, pair) for pair in spill.pairs])
    for number, target in enumerate(spill.targets):
        with spill.lake.store.writing(target) as path:
            rows.filter(pl.col("high") % len(spill.targets) == number).write_parquet(path)


def judge_part(context: Context) -> pl.DataFrame:
    """Write down what was found out about one part."""
    import polars as pl

    note = context.note(RULES)
    judged = standing(context.note(HASHES).select("trajectory_id", "step"), note)
    found = pl.concat([_read_of(context.lake, name, context.pair) for name in context.shared])
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

    frames = [_hashes(bucket.lake, pair) for pair in bucket.pairs]
    frames += [_read(bucket.lake, name) for name in bucket.sources]
    wanted = pl.col("step").is_not_null() if bucket.turns else pl.col("step").is_null()
    rows = pl.concat([frame.filter(wanted) for frame in frames])
    if bucket.turns:
        copies = pl.concat([_read(bucket.lake, name).select("trajectory_id") for name in bucket.dropped])
        rows = rows.join(copies, on="trajectory_id", how="anti")
    cap = bucket.config.cap if bucket.turns else (1 if bucket.config.trajectories else None)
    found = repeated(rows, rows.height + 1 if cap is None else cap).sort("part", "trajectory_id", "step")
    with bucket.lake.store.writing(bucket.target) as path:
        found.write_parquet(path, statistics=True, row_group_size=GROUP_ROWS)
    return bucket.target


def _hashes(lake: Lake, pair: Pair) -> pl.DataFrame:
    """Return what `rules` left of a part, with `part`, and `turns`: how many turns it left of the trajectory."""
    import polars as pl

    context = Context(lake, pair, None)
    left = standing(context.note(HASHES).select("trajectory_id", "step", "high", "low"), context.note(RULES))
    turns = left.group_by("trajectory_id").agg(turns=pl.col("step").count())
    left = left.join(turns, on="trajectory_id", how="left", maintain_order="left")
    return left.with_columns(part=pl.lit(_number(pair), pl.UInt32))


def _number(pair: Pair) -> int:
    """Return a number that nearly always tells a part from all others; it only finds rows, and decides nothing."""
    return int.from_bytes(hashlib.sha256(pair.part_id.encode()).digest()[:4], "big")


def _read_of(lake: Lake, name: str, pair: Pair) -> pl.DataFrame:
    """Return the rows of one part, and read no others' groups."""
    import polars as pl
    import pyarrow.parquet as pq

    with lake.store.open(name) as file:
        found = pq.read_table(file, filters=[("part", "=", _number(pair))])
    frame = pl.from_arrow(found)
    assert isinstance(frame, pl.DataFrame)
    return frame.drop("part", "turns")


def _read(lake: Lake, name: str) -> pl.DataFrame:
    import polars as pl

    with lake.store.open(name) as file:
        return pl.read_parquet(file.read())
