"""MCP trajectories as cassettes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.collectors.importers._fuzz import survives
from tests.pipelines.importing import put
from tests.pipelines.lakes import header
from worldtape import export, import_files, project, query
from worldtape.collectors.importers.mcp_log import McpLog
from worldtape.schemas import Action, End, EndStatus, EventKind, canonical_json
from worldtape.storage import TapeWriter

RENDERER = {"name": "text.newest", "version": "1", "parameters": {"channel": "text"}}
MESSAGE = {"seq", "t_offset_ms", "sender", "kind", "method", "msg_id", "payload", "redacted"}
"""The fields of mcp-cassette's `Message` that stdio has; `worldtape` is ours."""
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "calc", "version": "2.0"}}


def asks(told: Any, method: str = "tools/call", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": told, "method": method, "params": params}


def says(told: Any, text: str, **result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": told, "result": {"content": [{"type": "text", "text": text}]} | result}


def cassette(lake: Path) -> dict[str, Any]:
    project(lake, workers=0)
    report = export(lake, lake.parent / "out", format="mcp-cassette", workers=0)
    assert (report.trajectories, report.failed) == (1, 0), report.named
    name = query(lake, "SELECT trajectory_id FROM trajectories")["trajectory_id"].to_pylist()[0]
    made: dict[str, Any] = json.loads((lake.parent / "out" / f"{name}.json").read_bytes())
    assert [message["seq"] for message in made["messages"]] == list(range(len(made["messages"])))
    assert all(message.keys() - {"worldtape"} == MESSAGE for message in made["messages"])
    assert all(isinstance(message["t_offset_ms"], int) for message in made["messages"])
    return made


def rows(lake: Path) -> list[dict[str, Any]]:
    names = "* EXCLUDE (trajectory_id, transition_id, extra, parts, renderer, renderer_version, renderer_params)"
    return list(query(lake, f"SELECT {names} FROM transitions ORDER BY step").to_pylist())


def back(folder: Path) -> list[dict[str, Any]]:
    report = import_files([folder / "out"], folder / "back", format="mcp-log")
    assert (report.total.trajectories, report.total.rejected) == (1, 0)
    project(folder / "back", workers=0)
    return rows(folder / "back")


class Connection:
    """A tape of an MCP client: frames as lines, texts for the renderer."""

    def __init__(self, lake: Path) -> None:
        self.tape = TapeWriter.create(lake, header("one", domain="mcp"), durability="none")
        self._texts = 0

    def sends(self, value: Any, step: int | None = None) -> None:
        self.tape("mcp.out", json.dumps(value).encode() + b"\n", 0)

    def gets(self, *lines: Any) -> None:
        raw = b"".join((line if isinstance(line, str) else json.dumps(line)).encode() + b"\n" for line in lines)
        for cut in range(0, len(raw), 50):
            self.tape("mcp.in", raw[cut : cut + 50], 0)

    def acts(self, step: int, name: str, **arguments: Any) -> None:
        packed = canonical_json(arguments)
        text = canonical_json({"name": name, "arguments": arguments})
        action = Action(kind="tool_call", text=text, name=name, arguments=packed)
        self.tape.append(EventKind.ACTION, action.to_dict(), step=step)

    def over(self, step: int, text: str | None, status: str = "ok", **outcome: Any) -> None:
        if text is not None:
            raw = json.dumps(text).encode() + b"\n"
            self.tape("text", raw, 0)
            self._texts += len(raw)
            seen = {"renderer": RENDERER, "received": {"text": self._texts}}
            self.tape.append(EventKind.CAPTURED, seen, step=step)
        result = {"outcome": {"status": status} | outcome, "timing": {"duration_ms": 1.5}}
        self.tape.append(EventKind.RESULT, result, step=step)


def test_recorded_frames_are_written_as_they_were(tmp_path: Path) -> None:
    tape = Connection(tmp_path / "lake")
    tape.sends(asks(0, "initialize", protocolVersion="2025-11-25"))
    tape.gets({"jsonrpc": "2.0", "id": 0, "result": HELLO})
    tape.acts(0, "add", a=1)
    tape.sends(asks("x", name="add", arguments={"a": 1}, _meta={"progressToken": 7}))
    tape.gets({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}, "server says hi", says("x", "one"))
    tape.over(0, "one")
    tape.acts(1, "add", a=2)
    tape.sends([asks(1, name="add", arguments={"a": 2})])
    tape.gets([says(1, "what the policy saw")])
    tape.over(1, "what was rendered", "tool_error", error={"type": "tool"})
    tape.acts(2, "slow")
    tape.sends(asks(2, name="slow", arguments={}))
    tape.over(2, None, "timeout_killed")
    tape.tape.seal(End(status=EndStatus.COMPLETED))
    made = cassette(tmp_path / "lake")
    assert made["server_info"] == {"name": "calc", "version": "2.0"}
    assert made["protocol_version"] == "2025-11-25"
    kinds = [(message["sender"], message["kind"]) for message in made["messages"]]
    assert kinds == [
        ("client", "request"),
        ("server", "response"),
        ("client", "request"),
        ("server", "notification"),
        ("server", "raw"),
        ("server", "response"),
        ("client", "request"),
        ("server", "response"),
        ("client", "request"),
    ]
    assert made["messages"][2]["payload"]["params"]["_meta"] == {"progressToken": 7}
    assert made["messages"][4]["payload"] == "server says hi"
    assert back(tmp_path) == rows(tmp_path / "lake")


def test_transitions_without_frames_become_calls_and_answers(tmp_path: Path) -> None:
    tools = [{"name": "add", "description": "Sum", "inputSchema": {"type": "object"}}]
    document = {"contents": [{"uri": "file:///a", "text": "A"}]}
    frames = [
        ("c2s", asks(0, "initialize")),
        ("s2c", {"jsonrpc": "2.0", "id": 0, "result": HELLO}),
        ("c2s", asks(1, "tools/list")),
        ("s2c", {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}),
        ("c2s", [asks(2, name="add", arguments={"a": 10**30}), asks(3, name="add", arguments={"a": 1.5})]),
        ("s2c", says(3, "second")),
        ("s2c", says(2, "first", isError=True, structuredContent={"sum": 3})),
        ("c2s", asks(4, "resources/read", uri="file:///a")),
        ("s2c", {"jsonrpc": "2.0", "id": 4, "result": document}),
        ("c2s", asks(5, name="gone", arguments={})),
        ("s2c", {"jsonrpc": "2.0", "id": 5, "error": {"code": -32602, "message": "no such tool", "data": [1]}}),
        ("c2s", asks(6, name="never", arguments={})),
    ]
    lines = [
        {"session_id": "s", "direction": way, "transport": "stdio", "ts": f"2026-12-01T10:00:{number:02}Z", "raw": raw}
        for number, (way, raw) in enumerate(frames)
    ]
    put(tmp_path / "log", "".join(json.dumps(line) + "\n" for line in lines).encode())
    import_files([tmp_path / "log"], tmp_path / "lake")
    made = cassette(tmp_path / "lake")
    assert made["recorded_at"] == "2026-12-01T10:00:00Z"
    assert (made["server_info"], made["protocol_version"]) == (HELLO["serverInfo"], "2025-11-25")
    asked = [message["payload"] for message in made["messages"] if message["kind"] == "request"]
    assert [payload["method"] for payload in asked] == [
        "initialize", "tools/list", "tools/call", "tools/call", "resources/read", "tools/call", "tools/call",
    ]  # fmt: skip
    assert asked[2]["params"] == {"name": "add", "arguments": {"a": 10**30}}
    answers = {message["msg_id"]: message["payload"] for message in made["messages"] if message["kind"] == "response"}
    assert answers[1]["result"]["tools"] == tools
    first = {"content": [{"type": "text", "text": "first"}], "isError": True, "structuredContent": {"sum": 3}}
    assert answers[2]["result"] == first
    assert answers[4]["result"] == document
    assert answers[5]["error"] == {"code": -32602, "message": "no such tool", "data": [1]}
    assert 6 not in answers
    assert back(tmp_path) == rows(tmp_path / "lake")


def test_a_connection_without_times_has_none_afterwards(tmp_path: Path) -> None:
    request, response = asks(1, name="add", arguments={}), says(1, "two")
    item = {"type": "jsonrpc_request", "request": request, "response": response}
    put(tmp_path / "log", {"version": "1.0", "metadata": {}, "interactions": [item]})
    import_files([tmp_path / "log"], tmp_path / "lake")
    assert cassette(tmp_path / "lake")["recorded_at"] == "1970-01-01T00:00:00Z"
    (row,) = back(tmp_path)
    assert (row["started_at"], row["observation_text"]) == (None, "two")
    assert [row] == rows(tmp_path / "lake")


def test_what_is_no_call_is_left_out(tmp_path: Path) -> None:
    tape = Connection(tmp_path / "lake")
    tape.tape.append(EventKind.ACTION, {"kind": "message", "text": "hello"}, step=0)
    tape.over(0, "hi")
    tape.tape.seal(End(status=EndStatus.COMPLETED))
    project(tmp_path / "lake", workers=0)
    report = export(tmp_path / "lake", tmp_path / "out", format="mcp-cassette", workers=0)
    assert dict(report.left_out) == {"no call": 1}


def test_broken_versions_of_an_export_end_in_errors_of_ours(tmp_path: Path) -> None:
    tape = Connection(tmp_path / "lake")
    for step in range(3):
        tape.acts(step, f"tool{step}", a=step)
        tape.sends(asks(step, name=f"tool{step}", arguments={"a": step}))
        tape.gets(says(step, f"answer {step}"))
        tape.over(step, f"answer {step}")
    tape.tape.seal(End(status=EndStatus.COMPLETED))
    survives(McpLog, json.dumps(cassette(tmp_path / "lake")).encode())


def test_actions_that_were_never_sent_are_skipped(tmp_path: Path) -> None:
    tape = Connection(tmp_path / "lake")
    tape.tape.append(EventKind.ACTION, Action(kind="tool_call", text="no call").to_dict(), step=0)
    tape.over(0, None, "rejected")
    tape.acts(1, "add")
    tape.sends(asks(0, name="add", arguments={}))
    tape.gets(says(0, "one"))
    tape.over(1, "one")
    tape.tape.seal(End(status=EndStatus.COMPLETED))
    cassette(tmp_path / "lake")
    (row,) = back(tmp_path)
    assert row | {"step": 1} == rows(tmp_path / "lake")[1]
