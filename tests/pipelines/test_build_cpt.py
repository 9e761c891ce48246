"""CPT rows: what stands in them, what weighs how much, and what never leaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.pipelines.build_lake import Told, turns, write_lake
from worldtape.errors import InputError
from worldtape.pipelines.build import BuildReport, CptConfig, build_cpt, read_action, read_observation, read_state


def built(tmp_path: Path, *told: Told, **settings: Any) -> tuple[list[dict[str, Any]], BuildReport]:
    lake = write_lake(tmp_path / "lake", told)
    report = build_cpt(lake, tmp_path / "out", config=CptConfig(**settings), workers=0)
    shards = sorted((tmp_path / "out").glob("*.parquet"))
    return [row for path in shards for row in pq.read_table(path).to_pylist()], report


def test_golden_row(tmp_path: Path) -> None:
    told = Told("a", turns=turns(2), classes={0: ("echo", 0.0)}, initial="$ ")
    [row], _ = built(tmp_path, told, initial_state=False, demonstrations=False)
    system, *messages = row.pop("messages")
    assert system["role"] == "system"
    assert system["content"].startswith("You are a Linux terminal.")
    assert messages == [
        {
            "role": "user",
            "content": "### Turn 1\n**Current State:**\n$ \n\n**Action:**\n"
            '```json\n[{"keystrokes": "echo t-0\\n", "duration": 0.5}]\n```',
        },
        {"role": "assistant", "content": "**Environment Observation:**\nuser@box:~$ echo t-0\n<t-0>\nuser@box:~$"},
        {
            "role": "user",
            "content": '### Turn 2\n**Action:**\n```json\n[{"keystrokes": "echo t-1\\n", "duration": 0.5}]\n```',
        },
        {"role": "assistant", "content": "**Environment Observation:**\nuser@box:~$ echo t-1\n<t-1>\nuser@box:~$"},
    ]
    sizes = [len(one["content"].encode()) for one in (system, *messages)]
    assert row.pop("lake_commit")
    assert row.pop("template").startswith("terminal/cpt@")
    assert row == {
        "weights": [0.0, 0.0, 0.0, 0.0, 1.0],
        "trajectory_id": "a",
        "transition_ids": ["a:0", "a:1"],
        "domain": "terminal",
        "task_id": "files/count",
        "policy_kind": "script",
        "licence": None,
        "renderer": "terminal.screen@1",
        "tokens": sum(sizes),
        "trained_tokens": sizes[-1],
        "token_counter": "utf8_bytes",
        "turn_classes": ["echo", "retrieval"],
        "window": 0,
        "windows": 1,
    }


def test_observations_are_the_lakes_bytes(tmp_path: Path) -> None:
    nasty = ["", " \n", "```\nx\n````", "a\u2028b\u0085c\r\n", "**Action:**\n```json\n[]\n```", "\ttab \x1b[0m", "漢🙂"]
    told = Told("a", turns=[(f'[{n}, "```"]', text) for n, text in enumerate(nasty)])
    [row], _ = built(tmp_path, told)
    answers = [read_observation(one["content"]) for one in row["messages"] if one["role"] == "assistant"]
    actions = [read_action(one["content"]) for one in row["messages"] if one["role"] == "user"]
    assert answers == nasty
    assert actions == [action for action, _ in told.turns]


def test_nothing_leaks(tmp_path: Path) -> None:
    rows, _ = built(tmp_path, Told("a", turns=turns(4)), instruction="first")
    text = json.dumps([row["messages"] for row in rows])
    assert "SECRET" not in text
    assert "0.777" not in text
    assert "Count the lines." in text


def test_a_dropped_turn_leaves_its_screen_to_the_next(tmp_path: Path) -> None:
    told = Told("a", turns=turns(6), verdicts={2: ("rules", "retry_cycle"), 3: ("exact_duplicates", "duplicate")})
    [row], report = built(tmp_path, told)
    users = [one["content"] for one in row["messages"] if one["role"] == "user"]
    assert [read_state(text) for text in users] == ["user@box:~$", None, told.turns[3][1], None]
    assert [text.splitlines()[0] for text in users] == ["### Turn 1", "### Turn 2", "### Turn 3", "### Turn 4"]
    assert row["transition_ids"] == ["a:0", "a:1", "a:4", "a:5"]
    assert report.dropped == {"rules: retry_cycle": 1, "exact_duplicates: duplicate": 1}


def test_masked_turns_stay_as_context(tmp_path: Path) -> None:
    told = [
        Told(f"t{n}", turns=turns(4, f"m{n}"), classes={1: ("echo", 0.05), 2: ("transform", 0.5)}) for n in range(99)
    ]
    rows, report = built(tmp_path, *told)
    echo = [row["weights"][4] for row in rows]
    transform = [row["weights"][6] for row in rows]
    assert all(len(row["messages"]) == len(row["weights"]) == 9 for row in rows)
    assert all(row["weights"][place] == 0 for row in rows for place in (0, 1, 3, 5, 7))
    assert set(echo) == set(transform) == {0.0, 1.0}
    assert sum(echo) < 20 < sum(transform) < 80
    assert report.dropped["masked, kept as context: echo"] == 99 - sum(echo)
    assert report.transitions_trained == sum(sum(row["weights"]) for row in rows)


def test_class_weights_as_loss_weights(tmp_path: Path) -> None:
    told = Told("a", turns=turns(3), classes={0: ("echo", 0.05), 1: ("transform", 0.5)})
    [row], report = built(tmp_path, told, masking="weight")
    assert row["weights"] == pytest.approx([0, 0, 0.05, 0, 0.5, 0, 1.0])
    assert report.transitions_trained == 3


def test_a_row_without_a_trained_turn_is_dropped(tmp_path: Path) -> None:
    told = Told("a", turns=turns(3), classes=dict.fromkeys(range(3), ("echo", 0.0)))
    rows, report = built(tmp_path, told, Told("b", turns=turns(2)))
    assert [row["trajectory_id"] for row in rows] == ["b"]
    assert report.dropped == {"no trained turn in window": 3}
    assert report.trajectories_dropped == {"no row": 1}


def test_long_trajectories_become_windows(tmp_path: Path) -> None:
    told = Told("a", turns=turns(30))
    rows, report = built(tmp_path, told, max_bytes=3500, demonstrations=False)
    assert len(rows) > 2
    assert [row["window"] for row in rows] == list(range(len(rows)))
    assert {row["windows"] for row in rows} == {len(rows)}
    assert [one for row in rows for one in row["transition_ids"]] == [f"a:{n}" for n in range(30)]
    assert all(row["tokens"] <= 3500 for row in rows)
    assert report.transitions_trained == 30
    for row in rows:
        first = int(row["transition_ids"][0].partition(":")[2])
        before = told.turns[first - 1][1] if first else told.initial
        users = [one["content"] for one in row["messages"] if one["role"] == "user"]
        assert read_state(users[0]) == before
        assert {read_state(text) for text in users[1:]} <= {None}
        assert row["tokens"] == sum(len(one["content"].encode()) for one in row["messages"])


def test_a_turn_longer_than_a_window(tmp_path: Path) -> None:
    long = ('[{"keystrokes": "cat big\\n"}]', "x" * 9000)
    told = Told("a", turns=[*turns(2), long, *turns(2, "u")])
    [whole], _ = built(tmp_path / "whole", told)
    limit = len(whole["messages"][0]["content"]) + 9300
    rows, _ = built(tmp_path, told, max_bytes=limit)
    assert [row["transition_ids"] for row in rows] == [["a:0", "a:1"], ["a:2"], ["a:3"], ["a:4"]]
    small, report = built(tmp_path / "small", told, max_bytes=8_000)
    assert [row["transition_ids"] for row in small] == [["a:0", "a:1"], ["a:4"]]
    assert report.dropped == {"too long": 2}


def test_only_its_pool_and_what_curation_left(tmp_path: Path) -> None:
    rows, report = built(
        tmp_path,
        Told("a", pool="sft", turns=turns(2)),
        Told("b", turns=turns(2), verdicts={None: ("rules", "too_short")}),
        Told("c", turns=[]),
        Told("d", turns=turns(3), status={0: "infra_error"}),
        Told("e", turns=[*turns(2), ("[]", None)]),
        Told("g", turns=turns(2), verdicts={0: ("rules", "empty"), 1: ("rules", "empty")}),
    )
    assert {row["trajectory_id"]: row["transition_ids"] for row in rows} == {"d": ["d:2"], "e": ["e:0", "e:1"]}
    assert report.dropped == {
        "pool: sft": 2,
        "rules: too_short": 2,
        "rules: empty": 2,
        "infra_error": 1,
        "state before unknown": 1,
        "no observation": 1,
    }
    assert report.trajectories_dropped == {
        "no transition": 1,
        "no turn stays": 1,
        "pool: sft": 1,
        "rules: too_short": 1,
    }


def test_after_an_unknown_state_the_chain_begins_anew(tmp_path: Path) -> None:
    told = Told("a", turns=[*turns(1), ("[]", None), *turns(3, "u")])
    [row], report = built(tmp_path, told)
    assert row["transition_ids"] == ["a:0", "a:3", "a:4"]
    assert read_state(row["messages"][3]["content"]) == told.turns[2][1]
    assert report.dropped == {"no observation": 1, "state before unknown": 1}


FAULT = {"kind": "disk_full", "instruction": "The disk is full."}


def test_a_fault_is_told_in_the_turns_in_which_it_is_in_force(tmp_path: Path) -> None:
    [row], _ = built(tmp_path, Told("a", turns=turns(4), faults={1: FAULT, 2: FAULT}))
    told = ["**Simulation Instruction:**\nThe disk is full.\n" in message["content"] for message in row["messages"]]
    assert told == [False, False, False, True, False, True, False, False, False]


def test_a_fault_that_is_always_in_force_is_told_once(tmp_path: Path) -> None:
    [row], _ = built(tmp_path, Told("a", turns=turns(3), faults=dict.fromkeys(range(3), FAULT)))
    assert ["The disk is full." in message["content"] for message in row["messages"]] == [True] + [False] * 6


def test_the_screen_of_a_failed_sandbox_is_no_state(tmp_path: Path) -> None:
    [row], report = built(tmp_path, Told("a", turns=turns(5), status={1: "infra_error"}))
    assert row["transition_ids"] == ["a:0", "a:3", "a:4"]
    assert report.dropped == {"infra_error": 1, "state before unknown": 1}
    assert not [message for message in row["messages"] if turns(5)[1][1] in message["content"]]


def test_a_lake_that_changed_since_curation(tmp_path: Path) -> None:
    lake = write_lake(tmp_path / "lake", [Told("a", turns=turns(3))])
    [note] = lake.note_parts("turn_classes")
    rows = lake.read(note)
    lake.write_note("turn_classes", note.part_id, rows.head(2).to_arrow())
    with pytest.raises(InputError, match="changed since it was curated"):
        build_cpt(lake, tmp_path / "out", workers=0)
