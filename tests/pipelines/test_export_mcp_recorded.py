"""A recorded connection as a cassette and back."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from worldtape import export, import_files, open_recorder, project, query
from worldtape.collectors.mcp import Mcp, McpConfig, tool_call

SERVER = """
import json, sys

def answer(asked):
    method, params = asked["method"], asked.get("params", {})
    if method == "initialize":
        told = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
        return {"result": told | {"serverInfo": {"name": "sums", "version": "1"}}}
    if method == "tools/list":
        return {"result": {"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}}
    if params.get("name") != "add":
        return {"error": {"code": -32602, "message": "no such tool"}}
    terms = params["arguments"]["terms"]
    failed = not all(isinstance(term, int) for term in terms)
    text = "not a number" if failed else f"the sum is {sum(terms)} \\u2028"
    return {"result": {"content": [{"type": "text", "text": text}, {"type": "text", "text": "."}], "isError": failed}}

for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer(asked)}), flush=True)
"""
SAME = "* EXCLUDE (trajectory_id, transition_id, extra, parts, renderer, renderer_version, renderer_params)"


async def record(folder: Path) -> None:
    (folder / "server.py").write_text(SERVER)
    config = McpConfig(command=sys.executable, args=(str(folder / "server.py"),), protocol="handshake")
    async with open_recorder(Mcp(config), folder / "lake") as recorder:
        for terms in ([1, 2], [10**30, 1], ["one"]):
            await recorder.step(tool_call("add", {"terms": terms}))
        await recorder.step(tool_call("gone"))


def rows(lake: Path) -> list[dict[str, Any]]:
    project(lake, workers=0)
    return list(query(lake, f"SELECT {SAME} FROM transitions ORDER BY step").to_pylist())


def test_a_recorded_connection_comes_back_whole(tmp_path: Path) -> None:
    asyncio.run(record(tmp_path))
    before = rows(tmp_path / "lake")
    assert [row["status"] for row in before] == ["ok", "ok", "tool_error", "protocol_error"]
    report = export(tmp_path / "lake", tmp_path / "out", format="mcp-cassette", workers=0)
    assert (report.trajectories, report.transitions, report.skipped) == (1, 4, 0)
    assert import_files([tmp_path / "out"], tmp_path / "back").total.transitions == 4
    assert rows(tmp_path / "back") == before
