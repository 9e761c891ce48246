"""Small frames as filters see them."""

from __future__ import annotations

from typing import Any

import polars as pl

SCHEMA: dict[str, Any] = {
    "trajectory_id": pl.String,
    "domain": pl.String,
    "end_status": pl.String,
    "initial_text": pl.String,
    "tools": pl.String,
    "step": pl.Int64,
    "action_kind": pl.String,
    "action_text": pl.String,
    "action_name": pl.String,
    "wait_s": pl.Float64,
    "before_text": pl.String,
    "observation_text": pl.String,
    "status": pl.String,
    "error_type": pl.String,
    "changed": pl.Boolean,
    "lossiness": pl.List(pl.String),
}
NORMAL: dict[str, Any] = {
    "trajectory_id": "a",
    "domain": "terminal",
    "end_status": "completed",
    "initial_text": "$",
    "action_kind": "keystrokes",
    "action_text": '[{"keystrokes": "ls\\n"}]',
    "before_text": "$",
    "observation_text": "$ ls\nx\n$",
    "status": "ok",
    "lossiness": [],
}


def frame(*rows: dict[str, Any]) -> pl.DataFrame:
    """Rows with `NORMAL` where they say nothing; steps count up within a trajectory."""
    steps: dict[str, int] = {}
    full = []
    for row in rows:
        whole = NORMAL | row
        key = whole["trajectory_id"]
        if "step" not in row:
            whole["step"] = steps.get(key, 0)
        steps[key] = steps.get(key, 0) + 1
        full.append(whole)
    return pl.DataFrame(full, schema=SCHEMA)
