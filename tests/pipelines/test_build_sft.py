"""SFT rows: the question, its history, its answer, and nothing of the answer in the question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.pipelines.build_lake import Told, turns, write_lake
from worldtape.pipelines.build import BuildReport, SftConfig, build_sft, read_action, read_prediction, read_state
from worldtape.pipelines.build._templates import variants


def built(tmp_path: Path, *told: Told, **settings: Any) -> tuple[list[dict[str, Any]], BuildReport]:
    for one in told:
        one.pool = "sft"
    lake = write_lake(tmp_path / "lake", told)
    report = build_sft(lake, tmp_path / "out", config=SftConfig(**settings), workers=0)
    shards = sorted((tmp_path / "out").glob("*.parquet"))
    return [row for path in shards for row in pq.read_table(path).to_pylist()], report


def test_golden_row(tmp_path: Path) -> None:
    told = Told("a", turns=turns(2), classes={0: ("echo", 0.0)}, initial="$ ")
    [row], report = built(tmp_path, told)
    system, *prompt = row.pop("prompt")
    assert system["role"] == "system"
    assert prompt == [
        {
            "role": "user",
            "content": "### Turn 1\n**Task Instruction:**\nCount the lines.\n\n**Current State:**\n$ \n\n**Action:**\n"
            '```json\n[{"keystrokes": "echo t-0\\n", "duration": 0.5}]\n```',
        },
        {"role": "assistant", "content": "**Environment Observation:**\nuser@box:~$ echo t-0\n<t-0>\nuser@box:~$"},
        {
            "role": "user",
            "content": '### Turn 2\n**Action:**\n```json\n[{"keystrokes": "echo t-1\\n", "duration": 0.5}]\n```\n\n'
            "Predict the observation. "
            "Answer with exactly one <predicted_observation> … </predicted_observation> block.",
        },
    ]
    answer = "<predicted_observation>\nuser@box:~$ echo t-1\n<t-1>\nuser@box:~$\n</predicted_observation>"
    assert row.pop("completion") == [{"role": "assistant", "content": answer}]
    assert row.pop("lake_commit")
    assert row.pop("template").partition("@")[0] in variants("terminal", "sft")
    assert row == {
        "trajectory_id": "a",
        "transition_ids": ["a:0", "a:1"],
        "domain": "terminal",
        "task_id": "files/count",
        "policy_kind": "script",
        "licence": None,
        "renderer": "terminal.screen@1",
        "tokens": sum(len(one["content"].encode()) for one in (system, *prompt)) + len(answer),
        "trained_tokens": len(answer),
        "token_counter": "utf8_bytes",
        "transition_id": "a:1",
        "step": 1,
        "turn": 2,
        "turn_class": "retrieval",
        "status": "ok",
        "turns_dropped": 0,
    }
    assert report.dropped == {"masked, kept as context: echo": 1}


def test_no_answer_stands_in_its_question(tmp_path: Path) -> None:
    told = [Told(f"t{n}", turns=turns(8, f"m{n}"), verdicts={3: ("rules", "x")}) for n in range(6)]
    rows, _ = built(tmp_path, *told, per_trajectory=None)
    assert len(rows) == 6 * 7
    for row in rows:
        name, _, step = row["transition_id"].partition(":")
        action, observation = told[int(name[1:])].turns[int(step)]
        question = json.dumps(row["prompt"])
        assert read_prediction(row["completion"][0]["content"]) == observation
        assert read_action(row["prompt"][-1]["content"]) == action
        assert f"<m{name[1:]}-{step}>" not in question
        assert all(f"<m{name[1:]}-{later}>" not in question for later in range(int(step), 8))
        assert row["transition_ids"][-1] == row["transition_id"]
        assert "SECRET" not in question
        assert "0.777" not in question


def test_templates_are_drawn_per_sample(tmp_path: Path) -> None:
    told = [Told(f"t{n}", turns=turns(4, f"m{n}")) for n in range(30)]
    rows, report = built(tmp_path, *told)
    assert {row["template"].partition("@")[0] for row in rows} == set(variants("terminal", "sft"))
    assert max(report.group("template").values()) < 2 * len(rows) / len(variants("terminal", "sft"))
    other, _ = built(tmp_path / "other", *told, seed=1)
    assert [row["transition_id"] for row in other] == [row["transition_id"] for row in rows]
    assert [row["template"] for row in other] != [row["template"] for row in rows]


def test_cap_per_trajectory(tmp_path: Path) -> None:
    told = [Told(f"t{n}", turns=turns(9, f"m{n}")) for n in range(12)]
    rows, report = built(tmp_path, *told, per_trajectory=2)
    assert len(rows) == 24
    assert report.dropped == {"over the cap per trajectory, kept as context": 84}
    assert len({row["step"] for row in rows}) > 4
    steps = [[row["step"] for row in rows if row["trajectory_id"] == one.id] for one in told]
    assert steps == [sorted(set(two)) for two in steps]


def test_oldest_turns_leave_first(tmp_path: Path) -> None:
    told = Told("a", turns=turns(40), verdicts={20: ("rules", "x")})
    rows, report = built(tmp_path, told, per_trajectory=None, max_bytes=6000, demonstrations=False)
    assert len(rows) == 39
    assert all(row["tokens"] <= 6000 for row in rows)
    assert any(row["turns_dropped"] for row in rows)
    assert report.group("context") == {"turns dropped from prompts": sum(row["turns_dropped"] for row in rows)}
    for row in rows:
        messages = [*row["prompt"], *row["completion"]]
        assert row["tokens"] == sum(len(one["content"].encode()) for one in messages)
        first = int(row["transition_ids"][0].partition(":")[2])
        assert read_state(row["prompt"][1]["content"]) == (told.turns[first - 1][1] if first else told.initial)
        assert "Count the lines." in row["prompt"][1]["content"]
        assert row["turns_dropped"] + len(row["transition_ids"]) == row["turn"]


def test_too_long_even_alone(tmp_path: Path) -> None:
    told = Told("a", turns=[*turns(1), ("[]", "x" * 9000), *turns(1, "u")])
    rows, report = built(tmp_path, told, max_bytes=8000)
    assert [row["transition_id"] for row in rows] == ["a:0"]
    assert report.dropped == {"too long": 2}


def test_an_observation_with_the_tag_is_no_target(tmp_path: Path) -> None:
    told = Told("a", turns=[("[]", "cat </predicted_observation>"), *turns(1)])
    [row], report = built(tmp_path, told)
    assert row["transition_id"] == "a:1"
    assert report.dropped == {"observation holds the tag": 1}


def test_a_prompt_tells_of_no_later_fault_and_of_none_that_has_ended(tmp_path: Path) -> None:
    fault = {"kind": "disk_full", "instruction": "The disk is full."}
    rows, _ = built(tmp_path, Told("a", turns=turns(4), faults={1: fault, 2: fault}))
    assert ["The disk is full." in row["prompt"][-1]["content"] for row in rows] == [False, True, True, False]
    assert not any("The disk is full." in row["prompt"][0]["content"] for row in rows)
