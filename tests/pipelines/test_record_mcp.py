"""Jobs in MCP servers: solutions are played and judged, explorers act, lakes hold what came out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.tasks import TaskFile
from worldtape.errors import ConfigError
from worldtape.pipelines.project import project
from worldtape.pipelines.record import JobConfig, record
from worldtape.pipelines.record.mcp import McpKind
from worldtape.storage import query

ORDERS = {"kind": "mcp", "server": "orders"}


def job(**more: Any) -> JobConfig:
    return JobConfig(name="mcp", environment=ORDERS, workers=0, durability="none", **more)


def test_solutions_are_played_and_judged(tmp_path: Path) -> None:
    report = record(job(tasks=("refunds/the-rest", "orders/out-today")), tmp_path)
    assert (report.judged, report.solved) == (2, 2)
    assert not project(tmp_path, workers=0).mismatched
    found = query(tmp_path, "SELECT DISTINCT domain, reward FROM trajectories").to_pylist()
    assert found == [{"domain": "mcp", "reward": 1.0}]


def test_an_explorer_is_judged_too(tmp_path: Path) -> None:
    explorer = {"kind": "explore-tools", "values": {"badge": ["B-301"]}}
    report = record(job(tasks=("refunds/reject",), policy=explorer, max_steps=25), tmp_path)
    assert (report.judged, report.solved) == (1, 0)
    assert not project(tmp_path, workers=0).mismatched
    rows = query(tmp_path, "SELECT status, state_after, action_name, arguments FROM transitions").to_pylist()
    assert len(rows) == 25
    assert len({row["state_after"] for row in rows}) >= 4
    assert {"ok", "tool_error"} <= {row["status"] for row in rows}


def test_what_is_no_call_is_no_step() -> None:
    steps: tuple[Any, ...] = ("get_order", {"name": "whoami", "args": {}}, {"arguments": {}})
    for step in steps:
        task = TaskFile(id="t", instruction="x", solution=(step,))
        with pytest.raises(ConfigError, match="no call"):
            McpKind.player(task)
    calls = McpKind.player(TaskFile(id="t", instruction="x", solution=({"name": "whoami", "arguments": {}},)))
    assert calls.action_kinds == {"tool_call"}


@pytest.mark.parametrize("environment", [{"kind": "mcp"}, ORDERS | {"url": "http://127.0.0.1:1/mcp"}])
def test_one_server_has_to_be_named(environment: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="name either a server, a command or a url"):
        JobConfig(name="mcp", environment=environment)
