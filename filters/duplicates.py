"""The same thing twice, found by hashes alone, so that no text ever leaves its part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_NULL = b"\x00null"
_GAP = b"\x1f"
_LOW = 0xFFFF_FFFF_FFFF_FFFF


def hash_turns(turns: pl.DataFrame) -> pl.DataFrame:
    """Return 128-bit hashes (XXH3) of every turn and of every trajectory: ids and times do not count.

    Beside `trajectory_id` and `step` these columns: `high` and `low`, of a turn the hash of the observation before it,
    its action and its observation, of a trajectory (`step` null) that of its first observation and the whole chain of
    actions and observations; `chain_high` and `chain_low`, of a turn the hash of the chain up to it, null where
    it has no observation, of a trajectory that of the chain that ends with its last observation.

    Args:
        turns: the frame of `worldtape.filters.Filter`.
    """
    import polars as pl
    import xxhash

    ids: list[str] = []
    steps: list[int | None] = []
    digests: list[int] = []
    heads: list[int | None] = []
    chains: dict[str, xxhash.xxh3_128] = {}
    ends: dict[str, int] = {}
    columns = ("trajectory_id", "step", "domain", "action_kind", "action_text", "before_text", "observation_text")
    for key, step, domain, kind, action, before, seen in turns.select(columns).iter_rows():
        chain = chains.get(key)
        if chain is None:
            chain = chains[key] = xxhash.xxh3_128(_joined(domain, before if step is not None else None))
        if step is None:
            continue
        turn = _joined(kind, action, seen)
        chain.update(_GAP + turn)
        ids.append(key)
        steps.append(step)
        digests.append(xxhash.xxh3_128_intdigest(_joined(domain, before) + _GAP + turn))
        heads.append(None if seen is None else chain.intdigest())
        if heads[-1] is not None:
            ends[key] = heads[-1]
    for key, chain in chains.items():
        ids.append(key)
        steps.append(None)
        digests.append(chain.intdigest())
        heads.append(ends.get(key))
    return pl.DataFrame(
        {
            "trajectory_id": pl.Series(ids, dtype=pl.String),
            "step": pl.Series(steps, dtype=pl.Int64),
            **_halves("high", "low", digests),
            **_halves("chain_high", "chain_low", heads),
        }
    )


def _halves(high: str, low: str, digests: Sequence[int | None]) -> dict[str, pl.Series]:
    import polars as pl

    return {
        high: pl.Series([None if digest is None else digest >> 64 for digest in digests], dtype=pl.UInt64),
        low: pl.Series([None if digest is None else digest & _LOW for digest in digests], dtype=pl.UInt64),
    }


def repeated(hashes: pl.DataFrame, cap: int) -> pl.DataFrame:
    """Return the rows that repeat a hash more than `cap` times, with `of_id`, `of_step` and `count`.

    Of every hash the first `cap` rows by (most `turns`, trajectory_id, step) are kept, whatever order they come in;
    `of_*` names the first. Ids of recordings sort by time, so of equals the oldest is kept.

    Args:
        hashes: as `hash_turns` gives them; `turns`, where there is such a column: what is left of each trajectory.
        cap: how many are kept.
    """
    import polars as pl

    key = ["high", "low"]
    worth = -(pl.col("turns").cast(pl.Int64) if "turns" in hashes.columns else pl.lit(0))
    ordered = hashes.with_columns(worth=worth).sort([*key, "worth", "trajectory_id", "step"], nulls_last=True)
    placed = ordered.with_columns(
        place=pl.int_range(pl.len()).over(key),
        of_id=pl.col("trajectory_id").first().over(key),
        of_step=pl.col("step").first().over(key),
        count=pl.len().over(key).cast(pl.Int64),
    )
    return placed.filter(pl.col("place") >= cap).drop("place", "worth", *key)


def begun(chains: pl.DataFrame) -> pl.DataFrame:
    """Return the trajectories that are the beginning of another one, with `of_id`, `of_step` (null) and `count`.

    Of those that go the same way as far as the shorter one has observations, the one with most observations stays, then
    the one of which most `turns` are left, then the first by id. `count` is how many go that way.

    Args:
        chains: rows of `hash_turns` with a chain, and `observations` and `turns` of their trajectories.
    """
    import polars as pl

    key = ["chain_high", "chain_low"]
    ways = chains.filter(pl.col("step").is_not_null()).select(*key, "observations", "turns", of_id="trajectory_id")
    ways = ways.sort("observations", "turns", "of_id", descending=[True, True, False])
    longest = ways.group_by(key, maintain_order=True).agg(pl.col("of_id").first(), count=pl.len().cast(pl.Int64))
    ends = chains.filter(pl.col("step").is_null()).join(longest, on=key, how="inner")
    of_step = pl.lit(None, pl.Int64).alias("of_step")
    return ends.filter(pl.col("of_id") != pl.col("trajectory_id")).with_columns(of_step).drop(*key, "observations")


def _joined(*texts: str | None) -> bytes:
    """Return texts with their lengths, so that no two lists look alike."""
    parts = [_NULL if text is None else text.encode() for text in texts]
    return b"".join(b"%d:%b" % (len(part), part) for part in parts)
