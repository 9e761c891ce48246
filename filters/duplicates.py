"""The same thing twice, found by hashes alone, so that no text ever leaves its part."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_NULL = b"\x00null"
_GAP = b"\x1f"


def hash_turns(turns: pl.DataFrame) -> pl.DataFrame:
    """Return `trajectory_id`, `step`, `high` and `low`: 128-bit hashes (XXH3) of every turn and of every trajectory.

    A turn's hash covers the observation before it, its action and its observation. The hash of a trajectory (`step`
    null) covers its first observation and the whole chain of actions and observations: ids and times do not count.

    Args:
        turns: the frame of `worldtape.filters.Filter`.
    """
    import polars as pl
    import xxhash

    ids: list[str] = []
    steps: list[int | None] = []
    digests: list[int] = []
    chains: dict[str, xxhash.xxh3_128] = {}
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
    for key, chain in chains.items():
        ids.append(key)
        steps.append(None)
        digests.append(chain.intdigest())
    return pl.DataFrame(
        {
            "trajectory_id": pl.Series(ids, dtype=pl.String),
            "step": pl.Series(steps, dtype=pl.Int64),
            "high": pl.Series([digest >> 64 for digest in digests], dtype=pl.UInt64),
            "low": pl.Series([digest & 0xFFFF_FFFF_FFFF_FFFF for digest in digests], dtype=pl.UInt64),
        }
    )


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


def _joined(*texts: str | None) -> bytes:
    """Return texts with their lengths, so that no two lists look alike."""
    parts = [_NULL if text is None else text.encode() for text in texts]
    return b"".join(b"%d:%b" % (len(part), part) for part in parts)
