"""Small lakes for the tests of corpora: parts and notes as projection and curation write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from worldtape.pipelines._stage import SEAL_FILE, hash_of, made_of
from worldtape.pipelines.build._notes import NEEDED
from worldtape.pipelines.curate import Seal
from worldtape.schemas.columns import NOTE_KEY, TRAJECTORIES, TRANSITIONS, VERDICTS, arrow_schema, arrow_table
from worldtape.storage import Lake, part_id

ENVIRONMENT = {"kind": "terminal", "backend": "local", "parameters": {"cols": 160, "rows": 40, "wait": "settle"}}


@dataclass
class Told:
    """One trajectory of a test lake."""

    id: str
    pool: str = "cpt"
    split: str = "train"
    turns: list[tuple[str, str | None]] = field(default_factory=list)
    """(action, observation)"""
    classes: dict[int, tuple[str, float]] = field(default_factory=dict)
    verdicts: dict[int | None, tuple[str, str]] = field(default_factory=dict)
    """Step to (stage, reason)."""
    status: dict[int, str] = field(default_factory=dict)
    domain: str = "terminal"
    initial: str | None = "user@box:~$"
    faults: dict[int, dict[str, Any]] = field(default_factory=dict)

    def trajectory(self) -> dict[str, Any]:
        return {
            "trajectory_id": self.id,
            "schema_version": "1.0",
            "domain": self.domain,
            "environment": ENVIRONMENT,
            "task": {
                "id": "files/count",
                "instruction": "Count the lines.",
                "reference": "SECRET-REFERENCE",
                "tags": [],
            },
            "policy": {"kind": "script", "parameters": {"reasoning": "SECRET-REASONING"}},
            "source": {"kind": "recorded"},
            "initial": None
            if self.initial is None
            else {"text": self.initial, "renderer": {"name": "terminal.screen"}},
            "initial_state": {"text": "OS: Debian 12\nPython: 3.11"},
            "transitions": len(self.turns),
            "end_status": "completed",
            "reward": 0.777,
            "lineage": {},
        }

    def transitions(self) -> list[dict[str, Any]]:
        rows = []
        for step, (action, observation) in enumerate(self.turns):
            renderer = {"name": "terminal.screen", "version": "1", "parameters": {}}
            seen = {"text": observation, "shown": "SECRET-SHOWN", "renderer": renderer}
            rows.append(
                {
                    "transition_id": f"{self.id}:{step}",
                    "trajectory_id": self.id,
                    "step": step,
                    "domain": self.domain,
                    "action": {"kind": "keystrokes", "text": action, "raw": "SECRET-RAW", "actor": "agent"},
                    "observation": None if observation is None else seen,
                    "outcome": {"status": self.status.get(step, "ok"), "exit_codes": []},
                    "fault": self.faults.get(step),
                    "timing": {},
                    "reward": 0.777,
                }
            )
        return rows


def turns(count: int, mark: str = "t") -> list[tuple[str, str | None]]:
    """Return turns whose texts are all different."""
    action = '[{{"keystrokes": "echo {m}-{n}\\n", "duration": 0.5}}]'
    return [
        (action.format(m=mark, n=n), f"user@box:~$ echo {mark}-{n}\n<{mark}-{n}>\nuser@box:~$") for n in range(count)
    ]


def write_lake(path: Path, told: Sequence[Told], *, per_part: int = 4) -> Lake:
    """Write parts of `per_part` trajectories with their notes."""
    lake = Lake.open(path, create=True)
    for domain in sorted({one.domain for one in told}):
        mine = [one for one in told if one.domain == domain]
        for start in range(0, len(mine), per_part):
            _write_part(lake, domain, mine[start : start + per_part])
    seal(lake)
    return lake


def seal(lake: Lake) -> None:
    """Leave what a whole curation leaves last."""
    parts = sorted(part.part_id for part in lake.parts("trajectories"))
    stages = dict.fromkeys(NEEDED, "")
    said = [[stage, part, *made_of(lake, stage, part)] for stage in sorted(stages) for part in parts]
    sealed = Seal(lake.commit(), stages, hash_of(said))
    lake.store.write(SEAL_FILE, json.dumps(sealed.to_dict()).encode())


def _write_part(lake: Lake, domain: str, told: Sequence[Told]) -> None:
    part = part_id(one.id for one in told)
    heads = arrow_table(TRAJECTORIES, [one.trajectory() for one in told])
    rows = arrow_table(TRANSITIONS, [row for one in told for row in one.transitions()])
    lake.write_part(domain, part, heads, rows)
    for stage in ("rules", "exact_duplicates"):
        lake.write_note(stage, part, arrow_table(VERDICTS, [row for one in told for row in _verdicts(one, stage)]))
    lake.write_note("turn_classes", part, _table(told, _classes, {"class": pa.large_string(), "weight": pa.float64()}))
    texts = {"pool": pa.large_string(), "split": pa.large_string(), "group": pa.large_string()}
    lake.write_note("pools", part, _table(told, _pools, texts))


def _table(
    told: Sequence[Told], rows: Callable[[Told], list[dict[str, Any]]], more: dict[str, pa.DataType]
) -> pa.Table:
    schema = pa.schema([*arrow_schema(NOTE_KEY), *more.items()])
    return pa.Table.from_pylist([row for one in told for row in rows(one)], schema=schema)


def _verdicts(one: Told, stage: str) -> list[dict[str, Any]]:
    rows = []
    for step in range(len(one.turns)):
        reason = next((why for key, (by, why) in one.verdicts.items() if key == step and by == stage), None)
        rows.append({"trajectory_id": one.id, "step": step, "stage": stage, "keep": reason is None, "reason": reason})
    whole = one.verdicts.get(None)
    if whole is not None and whole[0] == stage:
        rows.append({"trajectory_id": one.id, "step": None, "stage": stage, "keep": False, "reason": whole[1]})
    return rows


def _classes(one: Told) -> list[dict[str, Any]]:
    found = [one.classes.get(step, ("retrieval", 1.0)) for step in range(len(one.turns))]
    return [{"trajectory_id": one.id, "step": n, "class": c, "weight": w} for n, (c, w) in enumerate(found)]


def _pools(one: Told) -> list[dict[str, Any]]:
    return [{"trajectory_id": one.id, "step": None, "pool": one.pool, "split": one.split, "group": one.id}]


def plain_lake(path: Path, *, count: int = 40, length: int = 6) -> Lake:
    """Return a lake with both pools and both splits in every part."""
    told = [
        Told(
            f"{n:04d}",
            pool="cpt" if n % 2 else "sft",
            split="validation" if n % 10 >= 8 else "train",
            turns=turns(length, f"m{n}"),
            classes={1: ("echo", 0.05), 2: ("transform", 0.5)},
            verdicts={3: ("rules", "retry_cycle")} if n % 4 == 0 else {},
            status={0: "tool_error"},
        )
        for n in range(count)
    ]
    return write_lake(path, told, per_part=2)
