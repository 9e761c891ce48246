"""Hashes say what is the same, and the oldest stays, whatever order things come in."""

from __future__ import annotations

import random

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tests.filters.frames import frame
from worldtape.filters.duplicates import begun, hash_turns, repeated


def by_key(hashes: pl.DataFrame) -> dict[tuple[str, int | None], tuple[int, int]]:
    return {(row[0], row[1]): (row[2], row[3]) for row in hashes.iter_rows()}


def test_ids_and_steps_do_not_count():
    found = by_key(hash_turns(frame({}, {"observation_text": "y"}, {"trajectory_id": "b"}, {"trajectory_id": "b"})))
    assert found["a", 0] == found["b", 0] == found["b", 1]
    assert found["a", 1] != found["a", 0]
    assert found["a", None] != found["b", None]


def test_texts_are_not_run_together():
    one = by_key(hash_turns(frame({"action_text": "ab", "observation_text": "c"})))
    other = by_key(hash_turns(frame({"action_text": "a", "observation_text": "bc"})))
    null = by_key(hash_turns(frame({"observation_text": None}, {"observation_text": ""})))
    assert one["a", 0] != other["a", 0]
    assert null["a", 0] != null["a", 1]


def test_the_state_before_counts():
    found = by_key(hash_turns(frame({"before_text": "x"}, {"before_text": "y"})))
    assert found["a", 0] != found["a", 1]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3)), max_size=30), st.integers(1, 4), st.randoms())
def test_the_oldest_stay_in_any_order(turns, cap, rng: random.Random):
    rows = [{"trajectory_id": key, "observation_text": str(n)} for key, n in sorted(turns)]
    hashes = hash_turns(frame(*rows)).filter(pl.col("step").is_not_null())
    mixed = hashes.sample(fraction=1.0, shuffle=True, seed=rng.randrange(1 << 30)) if rows else hashes
    out = repeated(mixed, cap).select("trajectory_id", "step", "of_id", "of_step", "count")
    seen: dict[str, list[tuple[str, int]]] = {}
    for row, step in zip(rows, hashes["step"], strict=True):
        seen.setdefault(row["observation_text"], []).append((row["trajectory_id"], step))
    late = {key: (places[0], len(places)) for places in seen.values() for key in sorted(places)[cap:]}
    assert {(r[0], r[1]): ((r[2], r[3]), r[4]) for r in out.iter_rows()} == late


def test_of_copies_the_one_with_most_turns_stays():
    rows = pl.DataFrame(
        {"trajectory_id": list("abcd"), "step": [None] * 4, "high": [1] * 4, "low": [2] * 4, "turns": [2, 3, 3, 0]},
        schema_overrides={"step": pl.Int64},
    )
    out = repeated(rows, 1)
    assert sorted(out["trajectory_id"]) == ["a", "c", "d"]
    assert set(out["of_id"]) == {"b"}


ways = st.lists(st.sampled_from(["x", "y", None]), min_size=1, max_size=4)


@given(st.dictionaries(st.sampled_from("abcdef"), ways, min_size=1))
def test_what_is_the_beginning_of_another_leaves(said):
    rows = [{"trajectory_id": key, "observation_text": text} for key in sorted(said) for text in said[key]]
    counts = pl.DataFrame({"trajectory_id": sorted(said)}).with_columns(
        turns=pl.lit(1), observations=pl.Series([sum(text is not None for text in said[key]) for key in sorted(said)])
    )
    chains = hash_turns(frame(*rows)).drop("high", "low").join(counts, on="trajectory_id")
    out = begun(chains.filter(pl.col("chain_high").is_not_null()))
    assert dict(out.select("trajectory_id", "of_id").iter_rows()) == {
        key: best for key in said if (best := longest(said, key)) != key
    }


def longest(said: dict[str, list[str | None]], key: str) -> str:
    """Spell out which has most observations of those that go the same way up to the last observation of `key`."""
    own = said[key]
    while own and own[-1] is None:
        own = own[:-1]
    same = [other for other, texts in said.items() if own and texts[: len(own)] == own]
    return min(same, key=lambda other: (-sum(text is not None for text in said[other]), other), default=key)
