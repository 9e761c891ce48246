"""The client collector against real servers, and what a projection makes of its tapes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.mcp._run import in_loop
from worldtape.collectors.mcp import Elicitation, Mcp, McpConfig, Sampling, prompt_get, resource_read, tool_call
from worldtape.collectors.recorder import Recorder
from worldtape.pipelines.project import project
from worldtape.pipelines.record import open_recorder
from worldtape.schemas import Action, EndStatus, Status
from worldtape.storage import query

Server = Callable[..., McpConfig]


async def status_of(recorder: Recorder, action: Action | str) -> Status:
    await recorder.step(action)
    return recorder.last.outcome.status


def rows(lake: Path, columns: str = "*") -> list[dict[str, Any]]:
    report = project(lake, workers=0)
    assert not report.set_aside
    assert not report.mismatched
    found: list[dict[str, Any]] = query(lake, f"SELECT {columns} FROM transitions ORDER BY step").to_pylist()
    return found


@in_loop
async def test_everything(npm_server: Callable[[str], str], tmp_path: Path) -> None:
    config = McpConfig(
        command=npm_server("server-everything"),
        args=("stdio",),
        sampling=Sampling(answer="text", text="forty-two"),
        elicitation=Elicitation(answer="accept", content={"name": "Ada"}),
        roots=("{workdir}",),
    )
    async with open_recorder(Mcp(config), tmp_path) as recorder:
        names = {tool.name for tool in recorder.history.ready.environment.tools}
        assert {"echo", "get-sum", "trigger-sampling-request", "get-roots-list"} <= names
        assert (await recorder.step(tool_call("echo", {"message": "hi"}))).text == "Echo: hi"
        assert "forty-two" in (await recorder.step(tool_call("trigger-sampling-request", {"prompt": "?"}))).text
        assert "Name: Ada" in (await recorder.step(tool_call("trigger-elicitation-request"))).text
        assert "worldtape-run-" in (await recorder.step(tool_call("get-roots-list"))).text
        image = await recorder.step(tool_call("get-tiny-image"))
        assert [(part.channel, part.media_type) for part in image.parts] == [("image", "image/png")]
        assert "plaintext" in (await recorder.step(resource_read("demo://resource/dynamic/text/1"))).text
        assert "simple prompt" in (await recorder.step(prompt_get("simple-prompt"))).text
        weather = await recorder.step('{"name": "get-structured-content", "arguments": {"location": "Chicago"}}')
        assert json.loads(weather.parts[0].text or "")["temperature"]
        assert await status_of(recorder, tool_call("no-such-tool")) is Status.TOOL_ERROR
        assert await status_of(recorder, resource_read("demo://nowhere")) is Status.PROTOCOL_ERROR
        assert recorder.last.outcome.error is not None
        assert recorder.last.outcome.error.code in {-32602, -32002}
        assert await status_of(recorder, "no call") is Status.REJECTED
        slow = tool_call("trigger-long-running-operation", {"duration": 60, "steps": 3}, timeout_s=0.2)
        assert (await recorder.step(slow)).text == ""
        assert recorder.last.outcome.status is Status.TIMEOUT_KILLED
    assert recorder.end is not None
    assert recorder.end.status is EndStatus.COMPLETED
    found = rows(tmp_path, "action_name, observation_text, status, parts")
    assert found[0]["observation_text"] == "Echo: hi"
    assert [row["status"] for row in found][-4:] == ["tool_error", "protocol_error", "rejected", "timeout_killed"]


@in_loop
async def test_a_folder_changes(npm_server: Callable[[str], str], tmp_path: Path) -> None:
    config = McpConfig(command=npm_server("server-filesystem"), args=("{workdir}",), files={"a/b.txt": "one\ntwo\n"})
    environment = Mcp(config)
    async with open_recorder(environment, tmp_path) as recorder:
        place = environment.workdir
        assert place is not None
        before = await environment.probe()
        assert (await recorder.step(tool_call("read_text_file", {"path": f"{place}/a/b.txt"}))).text == "one\ntwo\n"
        assert recorder.last.state_after == before
        await recorder.step(tool_call("write_file", {"path": f"{place}/c.txt", "content": "three"}))
        assert recorder.last.state_after != before
        await recorder.step(tool_call("read_text_file", {"path": "/etc/shadow"}))
        assert recorder.last.outcome.status is Status.TOOL_ERROR
    assert not os.path.exists(place)  # noqa: ASYNC240, PTH110
    assert len({row["state_after"] for row in rows(tmp_path)}) == 2


@in_loop
async def test_memory(npm_server: Callable[[str], str], tmp_path: Path) -> None:
    config = McpConfig(command=npm_server("server-memory"), env={"MEMORY_FILE_PATH": "{workdir}/memory.jsonl"})
    async with open_recorder(Mcp(config), tmp_path) as recorder:
        entity = {"name": "Ada", "entityType": "person", "observations": ["wrote notes"]}
        await recorder.step(tool_call("create_entities", {"entities": [entity]}))
        created = recorder.last.state_after
        assert json.loads((await recorder.step(tool_call("read_graph"))).text)["entities"][0]["name"] == "Ada"
        assert recorder.last.state_after == created
        assert created is not None
        assert created["folder"]["files"] == 1


@pytest.mark.parametrize("protocol", ["handshake", "auto"])
@in_loop
async def test_time(python_server: Callable[[str], tuple[str, ...]], tmp_path: Path, protocol: Any) -> None:
    command, *args = python_server("mcp-server-time")
    async with open_recorder(
        Mcp(McpConfig(command=command, args=tuple(args), protocol=protocol)), tmp_path
    ) as recorder:
        asked = {"source_timezone": "Europe/Berlin", "target_timezone": "Asia/Tokyo", "time": "12:00"}
        assert "Asia/Tokyo" in (await recorder.step(tool_call("convert_time", asked))).text
        await recorder.step(tool_call("convert_time", asked | {"time": "noon"}))
        assert recorder.last.outcome.status in {Status.TOOL_ERROR, Status.PROTOCOL_ERROR}
        versions = recorder.history.ready.environment.versions
        assert (versions["mcp"] >= "2026-07-28") == (protocol == "auto")
    assert rows(tmp_path)[0]["status"] == "ok"


@in_loop
async def test_git(python_server: Callable[[str], tuple[str, ...]], tmp_path: Path) -> None:
    command, *args = python_server("mcp-server-git")
    environment = Mcp(McpConfig(command=command, args=tuple(args), files={"a.txt": "one\n"}))
    async with open_recorder(environment, tmp_path) as recorder:
        place = {"repo_path": environment.workdir}
        await recorder.step(tool_call("git_status", place))
        assert recorder.last.outcome.status is Status.TOOL_ERROR
