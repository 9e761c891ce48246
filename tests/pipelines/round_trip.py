"""Exports a lake, imports what was written, and compares the transitions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from worldtape import export, import_files, project, query
from worldtape.collectors.importers import IMPORTERS
from worldtape.pipelines.exporting import EXPORTERS, ExportReport
from worldtape.schemas.columns import TRANSITIONS
from worldtape.storage import Lake

READ_BY = {"mcp-cassette": "mcp-log"}
"""Exporter to importer, where they have different names."""
BOTH_WAYS = [name for name in EXPORTERS if READ_BY.get(name, name) in set(IMPORTERS)]
IDS = ("transition_id", "trajectory_id")
HEADS = """domain, instruction, initial_text, initial_state, initial_probes, end_status, reward, policy, environment,
tools, task_id, reference, licence, parent, started_at"""
"""Columns of `trajectories` that come back, where a format has a place for what stands under `worldtape`."""


def comes_back(name: str, lake: Lake, folder: Path) -> ExportReport:
    """Assert that all transitions which `name` has a place for come back, less the columns it says that it loses."""
    report = export(lake, folder / "out", format=name, workers=0)
    assert report.ok, report.named
    assert report.trajectories, report
    assert report.asked == report.trajectories + sum(report.left_out.values())
    assert len(report.named) == sum(report.left_out.values())
    back = import_files([folder / "out"], folder / "lake", workers=0)
    assert back.ok, (back.refused, back.rejected)
    assert [file for file, _ in back.unknown] == ["export.json"]
    assert set(back.formats) == {READ_BY.get(name, name)}
    project(folder / "lake", workers=0)
    columns = [column.name for column in TRANSITIONS if column.name not in (*IDS, *EXPORTERS[name].loses)]
    again = told(Lake.open(folder / "lake"), columns)
    left_out = {one.trajectory_id for one in report.named}
    before = {key: rows for key, rows in told(lake, columns).items() if key not in left_out}
    assert len(again) == len(before) == report.trajectories
    assert sum(map(len, again.values())) == report.transitions == back.total.transitions
    if report.skipped:
        before = {key: rows for key, rows in before.items() if whole(name, rows)}
        assert before
    found = list(again.values())
    for key, rows in before.items():
        assert rows in found, (key, nearest(rows, found))
    return report


def heads(lake: Lake | Path) -> list[dict[str, Any]]:
    """Every trajectory's own columns."""
    return list(query(lake, f"SELECT {HEADS} FROM trajectories ORDER BY started_at").to_pylist())


def whole(name: str, rows: list[dict[str, Any]]) -> bool:
    """Whether a format has a place for all of them."""
    answers = [row["observation_text"] for row in rows]
    unasked = name == "agentworldbench" and "<predicted_observation>" in (answers[-1] or "")
    return None not in answers and not unasked


def told(lake: Lake, columns: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Every trajectory's transitions, by its id."""
    wanted = ", ".join(f'"{name}"' for name in columns)
    rows = query(lake, f"SELECT trajectory_id AS id, {wanted} FROM transitions ORDER BY trajectory_id, step")
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        found.setdefault(row.pop("id"), []).append(row)
    return found


def nearest(rows: list[dict[str, Any]], found: list[list[dict[str, Any]]]) -> str:
    """Say in which cells the most similar trajectory differs."""
    same = min((each for each in found if len(each) == len(rows)), key=lambda each: len(differ(rows, each)), default=[])
    return orjson.dumps(differ(rows, same), default=str, option=orjson.OPT_INDENT_2).decode()


def differ(rows: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[Any]:
    pairs = zip(rows, others, strict=False)
    return [
        (row["step"], name, row[name], other[name]) for row, other in pairs for name in row if row[name] != other[name]
    ]
