"""Canonical JSON, ids, registries and Arrow columns."""

from __future__ import annotations

import json
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.errors import NotFoundError
from worldtape.schemas import (
    Action,
    Domain,
    Observation,
    Outcome,
    Registry,
    Rendering,
    Status,
    Timing,
    Transition,
    canonical_json,
    derived_id,
    new_id,
    transition_id,
)
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS, arrow_schema, arrow_table

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_canonical_json_means_the_same(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_canonical_json_does_not_know_order(value: dict[str, int]) -> None:
    assert canonical_json(value) == canonical_json(dict(reversed(value.items())))


def test_canonical_json_takes_what_orjson_refuses() -> None:
    assert canonical_json({"b": 2**70, "a": [float("nan"), float("-inf")], "c": "\ud800x", "d": (1,)}) == (
        '{"a":[null,null],"b":1180591620717411303424,"c":"\ufffdx","d":[1]}'
    )


def test_ids_sort_by_creation() -> None:
    ids = [new_id() for _ in range(5000)]
    assert ids == sorted(set(ids))
    assert {UUID(one).version for one in ids} == {7}
    assert {UUID(one).variant for one in ids} == {UUID(int=0x8 << 60).variant}


def test_derived_ids_are_stable_and_do_not_run_together() -> None:
    assert UUID(derived_id("atif", "00", "3")).version == 8
    assert derived_id("atif", "00", "3") == derived_id("atif", "00", "3")
    assert derived_id("a", "bc") != derived_id("ab", "c")


def test_registry_loads_late_and_suggests() -> None:
    registry = Registry("codec", {"json": "json:loads", "gone": "no.such.module:x"}, group="worldtape.none")
    assert registry["json"] is json.loads
    assert list(registry) == ["gone", "json"]
    assert len(registry) == 2
    with pytest.raises(NotFoundError, match=r"no codec is called 'jsno'; did you mean 'json'\?"):
        registry["jsno"]
    with pytest.raises(NotFoundError, match="known: gone, json"):
        registry["zzz"]


def transition(**change: object) -> Transition:
    base = {
        "transition_id": transition_id("t", 0),
        "trajectory_id": "t",
        "step": 0,
        "domain": Domain.TERMINAL,
        "action": Action(kind="keystrokes", text="[]"),
        "observation": Observation(text="$ ", renderer=Rendering(name="terminal.screen", version="1")),
        "outcome": Outcome(status=Status.OK, exit_codes=(0, 1)),
        "timing": Timing(started_at=1_764_583_200_000_000, duration_ms=1.5),
    }
    return Transition.model_validate(base | change)


def test_a_transition_becomes_a_row() -> None:
    table = arrow_table(TRANSITIONS, [transition(state_after={"cwd": "/"}, extra={}).to_dict()])
    row = table.to_pylist()[0]
    assert table.schema == arrow_schema(TRANSITIONS)
    assert (row["status"], row["exit_codes"], row["parts"]) == ("ok", [0, 1], [])
    assert row["state_after"] == '{"cwd":"/"}'
    assert row["extra"] is None
    assert row["started_at"].isoformat() == "2025-12-01T10:00:00+00:00"


def test_no_observation_is_null_not_empty() -> None:
    row = arrow_table(TRANSITIONS, [transition(observation=None).to_dict()]).to_pylist()[0]
    assert row["observation_text"] is None
    assert row["renderer"] is None


def test_unknown_fields_survive() -> None:
    lifted = Transition.model_validate(transition().to_dict() | {"mood": {"a": 1}})
    assert lifted.to_dict()["mood"] == {"a": 1}


def test_no_text_column_can_overflow() -> None:
    for columns in (TRANSITIONS, TRAJECTORIES):
        assert pa.string() not in [field.type for field in arrow_schema(columns)]
