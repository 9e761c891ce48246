"""The stage `pools`: which corpus a trajectory may go to, and on which side of the split."""

from __future__ import annotations

import hashlib
from itertools import accumulate
from typing import TYPE_CHECKING

import orjson

from worldtape.pipelines._stage import Context, Stage, Stages
from worldtape.pipelines.curate._config import POOL_NAMES, PoolsConfig
from worldtape.pipelines.curate._lineage import digest_of, key_of, lineage

if TYPE_CHECKING:
    import polars as pl

POOLS = "pools"


def pools_stage(stages: Stages, config: PoolsConfig) -> Stage:
    """Find out what belongs together over all parts, and return the stage that deals it out."""
    names = lineage(stages.lake, stages.pairs)
    digest = digest_of(names)
    name = f".cache/{POOLS}/{digest[:32]}.json"
    if not stages.lake.store.exists(name):
        stages.lake.store.write(name, orjson.dumps(names))
    return Stage(POOLS, "2", deal_part, config, shared=(name,), shared_digest=digest)


def deal_part(context: Context) -> pl.DataFrame:
    """Deal out the trajectories of one part."""
    import polars as pl

    names: dict[str, str] = orjson.loads(context.lake.store.read(context.shared[0]))
    rows = context.lake.read(context.pair.trajectories, ("trajectory_id", "task_id", "benchmark"))
    rows = rows.with_columns(key=key_of(), own=pl.concat_str(pl.lit("trajectory:"), pl.col("trajectory_id")))
    groups = [names.get(own) or names.get(key, key) for own, key in rows.select("own", "key").iter_rows()]
    dealt = {group: deal(group, context.config) for group in sorted(set(groups))}
    return pl.DataFrame(
        {
            "trajectory_id": rows["trajectory_id"],
            "step": pl.Series([None] * len(rows), dtype=pl.Int64),
            "pool": pl.Series([dealt[group][0] for group in groups], dtype=pl.String),
            "split": pl.Series([dealt[group][1] for group in groups], dtype=pl.String),
            "group": pl.Series(groups, dtype=pl.String),
        }
    )


def deal(group: str, config: PoolsConfig) -> tuple[str, str]:
    """Return (pool, split) of a group: a function of its name, the shares and the seed, whatever else there is."""
    shares = {name: config.shares[name] for name in POOL_NAMES if name in config.shares}
    place = _draw("pool", group, config.seed) * sum(shares.values())
    held = [name for name, share in shares.items() if share > 0]
    ends = zip(shares, accumulate(shares.values()), strict=True)
    pool = next((name for name, end in ends if place < end), held[-1])
    aside = _draw("split", group, config.seed) < config.validation
    return pool, "validation" if aside else "train"


def _draw(what: str, group: str, seed: int) -> float:
    """Return a number in [0, 1)."""
    digest = hashlib.sha256(f"{seed}\x1f{what}\x1f{group}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)
