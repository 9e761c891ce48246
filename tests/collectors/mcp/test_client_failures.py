"""What servers do wrong, seen by the client: the recording goes on, and nothing becomes an observation by mistake."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.mcp._run import in_loop, until_gone
from tests.collectors.mcp.test_client import rows, status_of
from worldtape.collectors.mcp import Mcp, McpConfig, tool_call
from worldtape.collectors.recorder import Recorder
from worldtape.errors import ComponentError
from worldtape.pipelines.record import open_recorder
from worldtape.schemas import EndStatus, Status
from worldtape.storage import Lake, TapeReader

Server = Callable[..., McpConfig]
CALL = tool_call("t")


def tape(lake: Path) -> list[Any]:
    (found,) = Lake.open(lake).tapes()
    return list(TapeReader(found.path).events())


def frames(lake: Path, channel: str) -> bytes:
    (found,) = Lake.open(lake).tapes()
    reader = TapeReader(found.path)
    data = [reader.payload(event) for event in reader.events() if event.data.get("channel") == channel]
    return b"".join(data)


@in_loop
async def test_a_banner_and_other_garbage_are_kept_and_passed_over(server: Server, tmp_path: Path) -> None:
    config = server(
        """
def start():
    raw("🖥️ Server mode: STDIO\\n".encode())

def answer(message):
    raw(b"Deprecation: version 1\\n\\xff\\xfe no UTF-8\\n\\n[]\\n3\\nnull\\n{\\n")
    say(result(message, "right"))
"""
    )
    async with open_recorder(Mcp(config), tmp_path) as recorder:
        assert (await recorder.step(CALL)).text == "right"
    kept = frames(tmp_path, "mcp.in")
    assert "🖥️ Server mode: STDIO\n".encode() in kept
    assert b"\xff\xfe no UTF-8\n" in kept
    assert [row["observation_text"] for row in rows(tmp_path)] == ["right"]


@in_loop
async def test_only_the_answer_is_the_observation(server: Server, tmp_path: Path) -> None:
    config = server(
        """
def answer(message):
    if message.get("method") is None:
        return
    say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "a"}})
    say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}})
    say({"jsonrpc": "2.0", "id": message["id"], "method": "roots/list"})
    say({"jsonrpc": "2.0", "id": 999, "result": {"content": []}})
    say(result(message, "first"))
    say(result(message, "second"))
    say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 2}})
"""
    )
    async with open_recorder(Mcp(config), tmp_path) as recorder:
        assert [(await recorder.step(CALL)).text for _ in range(3)] == ["first"] * 3
    assert frames(tmp_path, "mcp.in").count(b'"second"') >= 2  # after the last call nobody listens
    assert [row["observation_text"] for row in rows(tmp_path)] == ["first"] * 3


@in_loop
async def test_a_late_answer_is_nobodys(server: Server, tmp_path: Path) -> None:
    config = server(
        """
waiting = []

def answer(message):
    if message.get("method") == "notifications/cancelled":
        say(result(waiting.pop(), "late"))
    elif message["params"]["arguments"].get("slow"):
        waiting.append(message)
    else:
        say(result(message, "in time"))
"""
    )
    async with open_recorder(Mcp(config), tmp_path) as recorder:
        assert await status_of(recorder, tool_call("t", {"slow": True}, timeout_s=0.05)) is Status.TIMEOUT_KILLED
        assert recorder.last.observation.text == ""
        assert await status_of(recorder, "no call") is Status.REJECTED
        assert recorder.last.observation.text == ""
        assert (await recorder.step(CALL)).text == "in time"
    assert b'"late"' in frames(tmp_path, "mcp.in")
    assert [row["observation_text"] for row in rows(tmp_path)] == ["", "", "in time"]


@in_loop
async def test_answers_that_break_the_protocol(server: Server, tmp_path: Path) -> None:
    config = server(
        """
BAD = {
    "array": {"result": [1]},
    "null": {"result": None},
    "string": {"error": "no"},
    "error": {"error": {"code": -32050, "message": "not today", "data": {"x": 1}}},
    "huge": {"error": {"code": 1 << 40, "message": "big"}},
    "content": {"result": {"content": "text"}},
    "surrogate": {"result": {"content": [{"type": "text", "text": "a\\ud800b"}]}},
}

def answer(message):
    how = message["params"]["name"]
    if how == "nan":
        raw(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"n"}],"x":NaN}}\\n' % message["id"])
    elif how == "latin":
        raw(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"caf\\xe9"}]}}\\n' % message["id"])
    elif how == "batch":
        raw(json.dumps([{"jsonrpc": "2.0", "method": "x"}, result(message, "one of two")]).encode() + b"\\n")
    elif how == "separators":
        raw(json.dumps(result(message, "a\\u2028b\\x85c"), ensure_ascii=False).encode() + b"\\n")
    elif how == "text":
        say(result(message | {"id": str(message["id"])}, "its id is a text"))
    elif how == "deep":
        raw(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"x":%s}}\\n' % (message["id"], b"[" * 600 + b"]" * 600))
    else:
        say({"jsonrpc": "2.0", "id": message["id"], **BAD[how]})
"""
    )
    seen: dict[str, tuple[str, Status, int | None]] = {}
    async with open_recorder(Mcp(config), tmp_path) as recorder:
        names = [
            "array",
            "null",
            "string",
            "error",
            "huge",
            "content",
            "surrogate",
            "nan",
            "latin",
            "batch",
            "separators",
            "text",
            "deep",
        ]
        for name in names:
            text = (await recorder.step(tool_call(name))).text
            error = recorder.last.outcome.error
            seen[name] = (text, recorder.last.outcome.status, None if error is None else error.code)
    bad, ok = Status.PROTOCOL_ERROR, Status.OK
    assert seen["array"] == ("[1]", bad, None)
    assert seen["null"] == ("null", bad, None)
    assert seen["string"] == ('"no"', bad, None)
    assert seen["error"] == ('{"code":-32050,"data":{"x":1},"message":"not today"}', bad, -32050)
    assert seen["huge"][1:] == (bad, None)
    assert seen["content"] == ('{"content":"text"}', ok, None)
    assert seen["surrogate"] == ("a\ufffdb", ok, None)
    assert seen["nan"] == ("n", ok, None)
    assert seen["latin"] == ("caf\ufffd", ok, None)
    assert seen["batch"] == ("one of two", ok, None)
    assert seen["separators"] == ("a\u2028b\x85c", ok, None)
    assert seen["text"] == ("its id is a text", ok, None)
    assert seen["deep"][1] is ok
    assert [row["observation_text"] for row in rows(tmp_path)] == [seen[name][0] for name in names]


@in_loop
async def test_frames_in_pieces_and_long_lines(server: Server, tmp_path: Path) -> None:
    config = server(
        """
def answer(message):
    if message["params"]["name"] == "big":
        say(result(message, "x" * 3_000_000))
        return
    for byte in json.dumps(result(message, "é in pieces"), ensure_ascii=False).encode() + b"\\n":
        raw(bytes([byte]))
"""
    )
    async with open_recorder(Mcp(config), tmp_path) as recorder:
        assert (await recorder.step(CALL)).text == "é in pieces"
        assert len((await recorder.step(tool_call("big"))).text) == 3_000_000
        assert (await recorder.step(CALL)).text == "é in pieces"
        await recorder.step(tool_call("t", {"big": "y" * 5_000_000}))
        assert recorder.last.outcome.status is Status.OK
    assert len(rows(tmp_path)[1]["observation_text"]) == 3_000_000
    assert len(list((tmp_path / "blobs").rglob("*"))) >= 2


@in_loop
async def test_tools_are_known_as_they_were_at_each_call(server: Server, tmp_path: Path) -> None:
    config = server(
        """
def answer(message):
    if message.get("method") == "tools/call":
        TOOLS.append({"name": "u", "inputSchema": {"type": "object", "properties": {"x": {"type": "integer"}}}})
        say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        say(result(message, "more"))
"""
    )
    environment = Mcp(config)
    async with open_recorder(environment, tmp_path) as recorder:
        assert [tool.name for tool in recorder.history.ready.environment.tools] == ["t"]
        before = await environment.probe()
        await recorder.step(CALL)
        assert [tool.name for tool in environment.tools] == ["t", "u"]
        after = recorder.last.state_after
        assert before is not None
        assert after is not None
        assert before["tools_hash"] != after["tools_hash"]
    found = query_one(tmp_path, "SELECT tools, extra FROM trajectories")
    assert [tool["name"] for tool in json.loads(found["tools"])] == ["t", "u"]
    assert json.loads(found["extra"])["ready.tool_changes"][0] == {
        "added": ["u"],
        "changed": [],
        "removed": [],
        "step": 1,
    }


def query_one(lake: Path, sql: str) -> dict[str, Any]:
    from worldtape.storage import query

    rows(lake)
    (found,) = query(lake, sql).to_pylist()
    return dict(found)


@pytest.mark.parametrize("how", ["exit", "kill", "close", "helper"])
def test_a_server_that_dies_in_a_call(server: Server, tmp_path: Path, how: str) -> None:
    config = server(
        """
def answer(message):
    how = message["params"]["name"]
    sys.stderr.write("something broke\\n")
    sys.stderr.flush()
    if how == "exit":
        raw(b'{"jsonrpc":"2.0","id":')
        os._exit(7)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "close":
        os.close(1)
        time.sleep(60)
    if how == "helper":
        subprocess.Popen(["sleep", "60"])
        os._exit(0)
"""
    )

    async def scenario() -> Recorder:
        async with open_recorder(Mcp(config), tmp_path) as recorder:
            await recorder.step(tool_call(how))
            return recorder

    recorder = in_value(scenario)
    outcome = recorder.last.outcome
    assert outcome.status is Status.ENV_ERROR
    assert outcome.error is not None
    assert "something broke" in (outcome.error.message or "") or how == "helper"
    expected = {"exit": (7, None), "kill": (None, 9), "close": (None, None), "helper": (0, None)}
    assert (outcome.exit_code, outcome.signal) == expected[how]
    assert recorder.end is not None
    assert recorder.end.status is EndStatus.ENV_ENDED
    assert frames(tmp_path, "mcp.err") == b"something broke\n"
    assert [row["status"] for row in rows(tmp_path)] == ["env_error"]


def in_value(scenario: Callable[[], Any]) -> Any:
    import asyncio

    return asyncio.run(scenario())


@in_loop
async def test_nothing_of_a_stubborn_server_is_left(server: Server, tmp_path: Path) -> None:
    config = server(
        """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sh", "-c", "trap '' TERM; sleep 60 & wait"])

def answer(message):
    say(result(message, f"{os.getpid()} {child.pid}"))
    while True:
        time.sleep(1)
"""
    )
    async with open_recorder(Mcp(config), tmp_path) as recorder:
        pids = [int(pid) for pid in (await recorder.step(CALL)).text.split()]
    for pid in pids:
        until_gone(pid)


def test_starts_that_fail_are_tapes_that_say_why(server: Server, tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="cannot be started"):
        in_value(lambda: _start(McpConfig(command="no-such-program"), tmp_path / "a"))
    broken = server("raise SystemExit('no licence')\n")
    with pytest.raises(ComponentError, match="exited with 1: no licence"):
        in_value(lambda: _start(broken, tmp_path / "b"))
    silent = server("time.sleep(60)\n", start_s=0.3)
    with pytest.raises(ComponentError, match=r"did not answer within 0\.3 s"):
        in_value(lambda: _start(silent, tmp_path / "c"))
    assert b"no licence" in frames(tmp_path / "b", "mcp.err")
    for name in "abc":
        assert tape(tmp_path / name)[-1].data["status"] == "failed"


async def _start(config: McpConfig, lake: Path) -> None:
    async with open_recorder(Mcp(config), lake):
        pass


@in_loop
async def test_a_server_killed_from_outside(npm_server: Callable[[str], str], tmp_path: Path) -> None:
    environment = Mcp(McpConfig(command=npm_server("server-everything"), args=("stdio",)))
    async with open_recorder(environment, tmp_path) as recorder:
        import asyncio

        slow = tool_call("trigger-long-running-operation", {"duration": 60, "steps": 3})
        call = asyncio.create_task(recorder.step(slow))
        while not environment._wire.result._open:  # noqa: ASYNC110  # the call is on its way
            await asyncio.sleep(0)
        assert environment.pid is not None
        os.kill(environment.pid, signal.SIGKILL)
        await call
        assert recorder.last.outcome.signal == signal.SIGKILL
    assert rows(tmp_path)[0]["status"] == "env_error"
