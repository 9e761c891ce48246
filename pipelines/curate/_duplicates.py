"""The stages `hashes` and `exact_duplicates`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worldtape.filters.duplicates import begun, hash_turns, repeated
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
VERSION = "3"
TRAJECTORY, BEGINNING, TURN = REASONS = ("same_trajectory", "same_beginning", "same_turn")
"""What is looked for, in this order."""
_COLUMNS = ("trajectory_id", "step", "reason", "of_id", "of_step", "count", "turns", "part")
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
    chains: tuple[str, ...]
    """The same for hashes of chains."""


@dataclass(frozen=True, slots=True)
class _Bucket:
    """All hashes with one remainder."""

    lake: Lake
    pairs: tuple[Pair, ...]
    """Parts whose notes are read; none where `sources` hold their hashes."""
    sources: tuple[str, ...]
    config: DuplicatesConfig
    target: str
    reason: str
    """What is looked for: `same_trajectory`, `same_beginning` or `same_turn`."""
    dropped: tuple[str, ...] = ()
    """Files that name the trajectories that are not looked at any more."""


def hashes_stage() -> Stage:
    """Return the stage that hashes every turn and every trajectory."""
    return Stage(HASHES, "2", hash_part, _Nothing())


def hash_part(context: Context) -> pl.DataFrame:
    """Hash one part."""
    return hash_turns(turns_of(context))


def duplicates_stage(stages: Stages, config: DuplicatesConfig, rows: int) -> Stage:
    """Compare the hashes of all parts, and return the stage that writes down what came out.

    Only hashes and ids leave a part. Copies of whole trajectories are found first: the one of which `rules` left most
    stays, then the oldest. Then what is only the beginning of another trajectory. The turns of both do not count when
    repeated turns are looked for. What `rules` rejected is compared with nothing.
    """
    digest = stages.digest(HASHES, RULES)
    settings = Stage(DUPLICATES, VERSION, judge_part, config).settings
    place = f".cache/{DUPLICATES}/{settings[:16]}-{digest[:16]}"
    buckets = max(1, -(-rows // BUCKET_ROWS))
    names = {reason: [f"{place}-{reason}-{number:05}.parquet" for number in range(buckets)] for reason in REASONS}
    files = tuple(name for each in names.values() for name in each)
    missing = [name for name in files if not stages.lake.store.exists(name)]
    spills = _spilled(stages, f".cache/{DUPLICATES}/{digest[:16]}", buckets) if missing and buckets > 1 else []
    common: dict[str, Any] = {"lake": stages.lake, "pairs": () if spills else tuple(stages.pairs), "config": config}
    dropped: tuple[str, ...] = ()
    for reason in REASONS:
        dealt = [spill.chains if reason == BEGINNING else spill.targets for spill in spills]
        sources = [tuple(targets[number] for targets in dealt) for number in range(buckets)]
        common |= {"reason": reason, "dropped": dropped}
        _compare(stages, [_Bucket(target=name, sources=sources[n], **common) for n, name in enumerate(names[reason])])
        dropped += tuple(names[reason])
    return Stage(DUPLICATES, VERSION, judge_part, config, needs=(HASHES, RULES), shared=files, shared_digest=digest)


def _spilled(stages: Stages, place: str, buckets: int) -> list[_Spill]:
    """Deal out all hashes to files of one bucket each: every note is read once, however many buckets there are."""
    spills = []
    for number, start in enumerate(range(0, len(stages.pairs), SPILL_PARTS)):
        names = [f"{place}-spill-{number:05}-{bucket:05}-{buckets}" for bucket in range(buckets)]
        pairs = tuple(stages.pairs[start : start + SPILL_PARTS])
        targets, chains = (tuple(f"{name}{end}.parquet" for name in names) for end in ("", "-chains"))
        spills.append(_Spill(stages.lake, pairs, targets, chains))
    for _ in stages.each(DUPLICATES, spill_hashes, spills):
        pass
    return spills


def spill_hashes(spill: _Spill) -> None:
    """Write the hashes of some parts, bucket by bucket, on a worker."""
    import polars as pl

    read = [_read_note(spill.lake, pair) for pair in spill.pairs]
    for which, column, targets in ((0, "high", spill.targets), (1, "chain_high", spill.chains)):
        rows = pl.concat([both[which] for both in read])
        for number, target in enumerate(targets):
            with spill.lake.store.writing(target) as path:
                rows.filter(pl.col(column) % len(targets) == number).write_parquet(path)


def judge_part(context: Context) -> pl.DataFrame:
    """Write down what was found out about one part."""
    import polars as pl

    note = context.note(RULES)
    judged = standing(context.note(HASHES).select("trajectory_id", "step"), note)
    found = pl.concat([_read_of(context.lake, name, context.pair) for name in context.shared])
    rows = judged.join(found, on=["trajectory_id", "step"], how="left", nulls_equal=True)
    of = pl.when(pl.col("of_step").is_null()).then(pl.col("of_id")).otherwise(pl.format("{}:{}", "of_id", "of_step"))
    lost = pl.col("of_id").is_not_null()
    return verdicts(
        DUPLICATES,
        rows.with_columns(
            keep=~lost,
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

    frames = [_read_note(bucket.lake, pair)[bucket.reason == BEGINNING] for pair in bucket.pairs]
    rows = pl.concat(frames + [_read(bucket.lake, name) for name in bucket.sources])
    if bucket.dropped:
        gone = pl.concat([_read(bucket.lake, name).filter(pl.col("step").is_null()) for name in bucket.dropped])
        rows = rows.join(gone, on="trajectory_id", how="anti")
    found = _found(rows, bucket.reason, bucket.config).with_columns(reason=pl.lit(bucket.reason)).select(_COLUMNS)
    with bucket.lake.store.writing(bucket.target) as path:
        found.sort("part", "trajectory_id", "step").write_parquet(path, statistics=True, row_group_size=GROUP_ROWS)
    return bucket.target


def _found(rows: pl.DataFrame, reason: str, config: DuplicatesConfig) -> pl.DataFrame:
    """Return the rows that leave."""
    import polars as pl

    if reason == BEGINNING:
        return begun(rows if config.trajectories else rows.clear())
    turns = pl.col("step").is_not_null()
    if reason == TURN:
        rows, cap = rows.filter(turns), config.cap
    else:
        rows, cap = rows.filter(~turns), 1 if config.trajectories else None
    return repeated(rows, rows.height + 1 if cap is None else cap)


def _read_note(lake: Lake, pair: Pair) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the hashes of a part: what `rules` left, and the chains of the trajectories that it left.

    Both have `part`, and `turns`: how many turns of the trajectory it left. Chains run through turns that it did not
    leave, and have `observations`: how many turns of the trajectory have one.
    """
    import polars as pl

    context = Context(lake, pair, None)
    note, part = context.note(HASHES), pl.lit(_number(pair), pl.UInt32).alias("part")
    left = standing(note.select("trajectory_id", "step", "high", "low"), context.note(RULES))
    turns = left.group_by("trajectory_id").agg(turns=pl.col("step").count())
    chains = note.select("trajectory_id", "step", "chain_high", "chain_low").filter(pl.col("chain_high").is_not_null())
    seen = pl.col("step").count().over("trajectory_id").alias("observations")
    return (
        left.join(turns, on="trajectory_id", how="left", maintain_order="left").with_columns(part),
        chains.join(turns, on="trajectory_id", how="inner", maintain_order="left").with_columns(seen, part),
    )


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
