"""Folders of servers: what a killed recorder leaves is found and removed, what is in use is not."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from worldtape.collectors.mcp import Mcp, McpConfig, tool_call
from worldtape.collectors.processes import reap
from worldtape.pipelines.record import open_recorder

CODE = """
import asyncio, sys
from worldtape.collectors.mcp import Mcp, McpConfig, tool_call
from worldtape.pipelines.record import open_recorder

async def main():
    config = McpConfig(command=sys.executable, args=["-m", "worldtape.collectors.mcp.servers.orders"])
    environment = Mcp(config)
    async with open_recorder(environment, sys.argv[1]) as recorder:
        await recorder.step(tool_call("list_products"))
        print(environment.workdir, flush=True)
        sys.stdin.read()

asyncio.run(main())
"""


def test_leftovers_of_killed_recorders_go_and_those_in_use_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    lake = str(tmp_path / "lake")

    def folders() -> list[Path]:
        return list(tmp_path.glob("worldtape-run-*"))

    async def scenario(left: Path) -> None:
        config = McpConfig(command=sys.executable, args=("-m", "worldtape.collectors.mcp.servers.orders"))
        async with open_recorder(Mcp(config), lake) as recorder:
            await recorder.step(tool_call("list_products"))
            assert len(folders()) == 2
            assert reap() == [str(left)]
            assert len(folders()) == 1

    with subprocess.Popen([sys.executable, "-c", CODE, lake], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        left = Path(killed.stdout.readline().decode().strip())
        assert folders() == [left]
        assert reap() == []
        killed.send_signal(signal.SIGKILL)
        killed.wait(30)
    asyncio.run(scenario(left))
    assert folders() == []
