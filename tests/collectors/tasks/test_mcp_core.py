"""Every task of the MCP suite is unsolved before its solution and solved after it, and holds mistakes on the way."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.mcp import McpConfig
from worldtape.collectors.mcp.facts import folder_facts
from worldtape.collectors.mcp.servers.orders.catalog import catalog
from worldtape.collectors.mcp.servers.orders.documents import prompt, read
from worldtape.collectors.mcp.servers.orders.rules import RuleError
from worldtape.collectors.mcp.servers.orders.shop import Shop
from worldtape.collectors.tasks import TaskFile, load_suite, unmet

SUITE = load_suite("mcp-core")


def opened(task: TaskFile, folder: Path) -> Shop:
    """Return the business as the server opens it for a task."""
    config = task.begun(McpConfig(server="orders"))
    parser = argparse.ArgumentParser()
    parser.add_argument("--badge", default="B-101")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(config.args)
    return Shop(folder / "orders.db", seed=options.seed, badge=options.badge)


def carried_out(shop: Shop, step: Any) -> bool:
    """Carry out one step of a solution and return whether it worked."""
    assert set(step) == {"name", "arguments"}
    name, arguments = step["name"], step["arguments"]
    try:
        if name == "resources/read":
            read(shop, arguments["uri"])
        elif name == "prompts/get":
            prompt(shop, arguments["name"], arguments["arguments"])
        else:
            catalog()[name].call(shop, arguments)
    except RuleError:
        return False
    return True


@pytest.mark.parametrize("task", SUITE.tasks, ids=lambda task: task.id)
def test_unsolved_then_solved(task: TaskFile, tmp_path: Path) -> None:
    assert isinstance(task.verifier, Mapping)
    shop = opened(task, tmp_path)
    assert unmet(task.verifier, folder_facts(tmp_path))
    worked = [carried_out(shop, step) for step in task.solution]
    assert unmet(task.verifier, folder_facts(tmp_path)) == []
    assert any(worked)


def test_the_suite_uses_most_tools_and_errs(tmp_path: Path) -> None:
    assert len(SUITE.tasks) >= 20
    steps: list[Any] = [step for task in SUITE.tasks for step in task.solution]
    assert len({step["name"] for step in steps} & set(catalog())) >= 22
    failing = 0
    for index, task in enumerate(SUITE.tasks):
        folder = tmp_path / str(index)
        folder.mkdir()
        shop = opened(task, folder)
        failing += sum(not carried_out(shop, step) for step in task.solution)
    assert 0.1 <= failing / len(steps) <= 0.4
