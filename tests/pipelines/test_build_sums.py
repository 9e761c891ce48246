"""Whatever a lake holds: sums add up, pairs are right, and no sample is longer than allowed."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pipelines.build_lake import Told, turns
from worldtape.pipelines.build import CptConfig, SftConfig, read_action, read_observation, read_prediction, read_state
from worldtape.pipelines.build._counts import Counts
from worldtape.pipelines.build._cpt import cpt_rows
from worldtape.pipelines.build._input import recordings
from worldtape.pipelines.build._notes import Notes
from worldtape.pipelines.build._recording import Recording
from worldtape.pipelines.build._sft import sft_rows
from worldtape.pipelines.build._tokens import ByteCounter
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS, arrow_table

LONGEST = 9
STEPS = st.sets(st.integers(0, LONGEST - 1))
LIMITS = st.sampled_from([2_000, 3_300, 4_500, 100_000])


@st.composite
def told(draw: Any) -> list[Told]:
    found = []
    for number in range(draw(st.integers(1, 4))):
        name = f"t{number}"
        rows = turns(draw(st.integers(0, LONGEST)), name)
        lost, wide, out = draw(STEPS), draw(STEPS), draw(STEPS)
        rows = [
            (action, None if step in lost else f"{text}{'x' * 700 if step in wide else ''}")
            for step, (action, text) in enumerate(rows)
        ]
        weights = draw(st.sampled_from([0.0, 0.05, 0.5, 1.0]))
        found.append(
            Told(
                name,
                pool=draw(st.sampled_from(["cpt", "sft"])),
                turns=rows,
                classes=dict.fromkeys(draw(STEPS), ("some", weights)),
                verdicts={
                    **dict.fromkeys(out, ("rules", "why")),
                    **({None: ("rules", "all")} if draw(st.booleans()) else {}),
                },
                status=dict.fromkeys(draw(STEPS), "infra_error"),
                initial=draw(st.none() | st.just("$ ")),
            )
        )
    return found


def frames(lake: list[Told]) -> tuple[pl.DataFrame, pl.DataFrame, Notes]:
    heads = arrow_table(TRAJECTORIES, [one.trajectory() for one in lake])
    rows = arrow_table(TRANSITIONS, [row for one in lake for row in one.transitions()])
    notes = Notes(
        pools={one.id: (one.pool, one.split) for one in lake},
        reasons={(one.id, step): f"{s}: {r}" for one in lake for step, (s, r) in one.verdicts.items()},
        classes={(one.id, n): one.classes.get(n, ("retrieval", 1.0)) for one in lake for n in range(len(one.turns))},
    )
    heads_, rows_ = pl.from_arrow(heads), pl.from_arrow(rows)
    assert isinstance(heads_, pl.DataFrame)
    assert isinstance(rows_, pl.DataFrame)
    return heads_, rows_, notes


def stay(lake: list[Told], pool: str, counts: Counts) -> list[Recording]:
    return list(recordings(*frames(lake), pool=pool, counts=counts))


def before(lake: list[Told], transition: str) -> str | None:
    name, _, step = transition.partition(":")
    one = lake[int(name[1:])]
    return one.initial if step == "0" else one.turns[int(step) - 1][1]


def checked(lake: list[Told], messages: list[dict[str, str]], ids: list[str]) -> None:
    """Every pair is that of its transition, and a state is carried exactly where the turn before is not shown."""
    pairs = list(zip(messages[::2], messages[1::2], ids, strict=True))
    for place, (user, assistant, transition) in enumerate(pairs):
        name, _, step = transition.partition(":")
        action, observation = lake[int(name[1:])].turns[int(step)]
        assert (user["role"], assistant["role"]) == ("user", "assistant")
        assert read_action(user["content"]) == action
        read = read_prediction if assistant["content"].startswith("<") else read_observation
        assert read(assistant["content"]) == observation
        follows = place and ids[place - 1] == f"{name}:{int(step) - 1}"
        assert read_state(user["content"]) == (None if follows else before(lake, transition))


@given(told(), LIMITS, st.sampled_from(["sample", "weight"]))
@settings(max_examples=40, deadline=None)
def test_cpt(lake: list[Told], limit: int, masking: Any) -> None:
    counts = Counts()
    config = CptConfig(max_bytes=limit, masking=masking, demonstrations=False)
    rows = [row for one in stay(lake, "cpt", counts) for row in cpt_rows(one, config, ByteCounter(), counts)]
    shown = [one for row in rows for one in row["transition_ids"]]
    assert len(shown) == len(set(shown))
    for row in rows:
        assert row["tokens"] == sum(len(one["content"].encode()) for one in row["messages"]) <= limit
        assert row["trained_tokens"] > 0
        assert len(row["weights"]) == len(row["messages"])
        checked(lake, row["messages"][1:], row["transition_ids"])
    assert sum(counts.group("read").values()) >= len(lake)
    trained = sum(weight > 0 for row in rows for weight in row["weights"])
    assert trained == counts.group("kept").get("transitions", 0)
    assert trained + sum(counts.group("dropped").values()) == sum(len(one.turns) for one in lake)


@given(told(), LIMITS, st.sampled_from([1, 3, None]))
@settings(max_examples=40, deadline=None)
def test_sft(lake: list[Told], limit: int, cap: int | None) -> None:
    counts = Counts()
    config = SftConfig(max_bytes=limit, per_trajectory=cap, demonstrations=False)
    rows = [row for one in stay(lake, "sft", counts) for row in sft_rows(one, config, ByteCounter(), counts)]
    assert len({row["transition_id"] for row in rows}) == len(rows)
    for row in rows:
        messages = [*row["prompt"], *row["completion"]]
        assert row["tokens"] == sum(len(one["content"].encode()) for one in messages) <= limit
        checked(lake, messages[1:], row["transition_ids"])
        assert row["transition_ids"][-1] == row["transition_id"]
    assert len(rows) + sum(counts.group("dropped").values()) == sum(len(one.turns) for one in lake)
