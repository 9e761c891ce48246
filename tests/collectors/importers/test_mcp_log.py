"""Recordings of MCP connections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldtape.collectors.importers.mcp_log import McpLog
from worldtape.errors import FormatError, InputError, VersionError
from worldtape.schemas import Imported, ImportedStep, Lossiness, Orphan, Rejected, Status

from ._files import Bytes, jsonl
from ._fuzz import fuzz

INIT = {"serverInfo": {"name": "calc", "version": "2.0"}, "protocolVersion": "2025-11-25"}
TOOLS = {"tools": [{"name": "add", "description": "Sum", "inputSchema": {"type": "object"}}]}


def asks(told: Any, name: str = "add", **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": told, "method": "tools/call", "params": params}


def says(told: Any, *texts: str, **result: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text} for text in texts]
    return {"jsonrpc": "2.0", "id": told, "result": {"content": content} | result}


def snoop(*frames: tuple[str, Any], session: str = "s1", start: int = 0) -> list[dict[str, Any]]:
    return [
        {
            "session_id": session,
            "seq": number,
            "ts": f"2026-12-01T10:00:{start + number:02}Z",
            "direction": direction,
            "transport": "stdio",
            "raw": raw,
        }
        for number, (direction, raw) in enumerate(frames)
    ]


HELLO: list[tuple[str, Any]] = [
    ("meta", {"command": ["calc"], "cwd": "/srv"}),
    ("c2s", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"clientInfo": {"name": "me"}}}),
    ("s2c", {"jsonrpc": "2.0", "id": 0, "result": INIT}),
    ("c2s", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    ("s2c", {"jsonrpc": "2.0", "id": 1, "result": TOOLS}),
]


def read(source: Bytes) -> list[Imported | Rejected]:
    assert McpLog().sniff(source)
    return list(McpLog().read(source))


def parts(source: Bytes, number: int = 0) -> tuple[list[ImportedStep], list[Orphan]]:
    made = read(source)[number]
    assert isinstance(made, Imported)
    items = list(made.steps)
    return [item for item in items if isinstance(item, ImportedStep)], [i for i in items if isinstance(i, Orphan)]


def log(*frames: tuple[str, Any]) -> tuple[list[ImportedStep], list[str]]:
    steps, orphans = parts(Bytes(jsonl(*snoop(*HELLO, *frames))))
    return steps, [orphan.code for orphan in orphans]


def test_a_log_becomes_a_trajectory():
    source = Bytes(jsonl(*snoop(*HELLO, ("c2s", asks(2, a=1)), ("s2c", says(2, "one", "two")))))
    made = read(source)[0]
    assert isinstance(made, Imported)
    assert made.environment.versions == {"calc": "2.0", "mcp": "2025-11-25"}
    assert [tool.name for tool in made.environment.tools] == ["add"]
    assert made.extra["command"] == ["calc"]
    steps, orphans = parts(source)
    assert (steps[0].action.text, steps[0].observation) == ('{"arguments":{"a":1},"name":"add"}', "one\ntwo")
    assert steps[0].timing.duration_ms == 1000
    assert str(steps[0].locator).startswith("bytes:")
    assert orphans == []


def test_ids_are_told_apart_by_type_and_direction():
    steps, codes = log(
        ("c2s", asks(7, "one")),
        ("c2s", asks("7", "two")),
        ("s2c", {"jsonrpc": "2.0", "id": 7, "method": "sampling/createMessage", "params": {}}),
        ("c2s", {"jsonrpc": "2.0", "id": 7, "result": {"role": "assistant"}}),
        ("s2c", says("7", "of two")),
        ("s2c", says(7, "of one")),
    )
    assert [(step.action.name, step.observation) for step in steps] == [("one", "of one"), ("two", "of two")]
    assert codes == ["server_request", "client_answer"]


def test_notifications_late_answers_and_strangers():
    steps, codes = log(
        ("c2s", asks(2, "slow")),
        ("s2c", {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}),
        ("c2s", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}),
        ("s2c", says(2, "too late")),
        ("s2c", says(99, "nobody's")),
        ("c2s", asks(3, "quick")),
        ("s2c", says(3, "here")),
        ("s2c", says(3, "twice")),
        ("c2s", asks(4, "never")),
    )
    told = [(step.action.name, step.observation, step.outcome.status) for step in steps]
    assert told == [
        ("slow", None, Status.INTERRUPTED),
        ("quick", "here", Status.OK),
        ("never", None, Status.UNKNOWN),
    ]
    assert codes == ["notification", "notification", "late_answer", "orphan_result", "orphan_result"]
    assert Lossiness.TAIL_MISSING in steps[2].lossiness


def test_one_id_for_two_open_calls_pairs_nothing():
    steps, codes = log(("c2s", asks(2, "one")), ("c2s", asks(2, "two")), ("s2c", says(2, "whose?")))
    assert [step.observation for step in steps] == [None, None]
    assert codes == ["orphan_result"]


def test_errors_of_the_tool_and_of_the_protocol():
    error = {"jsonrpc": "2.0", "id": 3, "error": {"code": -32602, "message": "bad", "data": None}}
    steps, _ = log(
        ("c2s", asks(2)), ("s2c", says(2, "no", isError=True)), ("c2s", asks(3)), ("s2c", error)
    )  # fmt: skip
    assert [step.outcome.status for step in steps] == [Status.TOOL_ERROR, Status.PROTOCOL_ERROR]
    assert steps[1].outcome.error is not None
    assert steps[1].outcome.error.code == -32602
    assert steps[1].observation == '{"code":-32602,"data":null,"message":"bad"}'


def test_a_batch_is_marked():
    steps, _ = log(("c2s", [asks(2, "one"), asks(3, "two")]), ("s2c", [says(3, "b"), says(2, "a")]))
    assert [step.observation for step in steps] == ["a", "b"]
    batches = [step.action.batch for step in steps if step.action.batch]
    assert [(batch.index, batch.size, batch.shared) for batch in batches] == [(0, 2, False), (1, 2, False)]


def test_connections_are_kept_apart():
    one = snoop(*HELLO, ("c2s", asks(2, "one")), ("s2c", says(2, "of s1")))
    two = snoop(*HELLO, ("c2s", asks(2, "two")), ("s2c", says(2, "of s2")), session="s2", start=20)
    mixed = [frame for pair in zip(one, two, strict=True) for frame in pair]
    source = Bytes(jsonl(*mixed))
    assert [item.locator for item in read(source)] == ["s1", "s2"]
    assert [parts(source, number)[0][0].observation for number in (0, 1)] == ["of s1", "of s2"]


def test_times_that_run_backwards_and_lines_that_are_cut():
    frames = snoop(*HELLO, ("c2s", asks(2)), ("s2c", says(2, "x")), ("stderr", "warning"))
    frames[6]["ts"] = "2026-12-01T09:00:00Z"
    frames[6]["truncated"] = True
    source = Bytes(jsonl(*frames) + b'{"session_id": "s1", "dir')
    steps, orphans = parts(source)
    assert steps[0].timing.duration_ms == 0
    assert Lossiness.TRUNCATED_NO_FULL in steps[0].lossiness
    assert [orphan.code for orphan in orphans] == ["time_backwards", "stderr", "bad_line"]


def test_other_parts_are_kept_without_their_bytes():
    image = {"type": "image", "mimeType": "image/png", "data": "aGk="}
    answer = {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "see"}, image]}}
    empty = {"jsonrpc": "2.0", "id": 3, "result": {"content": [], "structuredContent": {"b": 1, "a": 2}}}
    steps, _ = log(("c2s", asks(2)), ("s2c", answer), ("c2s", asks(3)), ("s2c", empty))
    first, second = (step.observation or "" for step in steps)
    assert first.startswith('see\n{"data":"sha256:')
    assert "aGk=" not in first
    assert second == '{"a":2,"b":1}'


def test_mcp_rec():
    frames = [
        {"ts": 1764583205.1, "dir": "client->server", "msg": asks(1)},
        {"ts": 1764583205.35, "dir": "server->client", "msg": says(1, "x")},
    ]
    steps, _ = parts(Bytes(jsonl(*frames)))
    assert (steps[0].observation, steps[0].timing.duration_ms) == ("x", 250)


CASSETTE = {
    "format_version": 3,
    "recorded_at": "2026-12-01T10:00:00Z",
    "server_info": {"name": "fs", "version": "1"},
    "messages": [
        {"seq": 0, "t_offset_ms": 12, "sender": "client", "kind": "request", "payload": asks(3, "read", path="a")},
        {"seq": 1, "t_offset_ms": 96, "sender": "server", "kind": "response", "payload": says(3, "hi")},
        {"seq": 2, "t_offset_ms": 97, "sender": "server", "kind": "raw", "payload": "noise"},
        {"seq": 3, "t_offset_ms": 99, "sender": "client", "kind": "request", "payload": asks("3", "list")},
        {"seq": 4, "t_offset_ms": 99, "sender": "server", "kind": "response", "payload": says("3", "a b")},
    ],
}


def test_mcp_cassette():
    steps, orphans = parts(Bytes(CASSETTE))
    assert [(step.observation, step.timing.duration_ms) for step in steps] == [("hi", 84), ("a b", 0)]
    assert [orphan.code for orphan in orphans] == ["unknown_record"]
    with pytest.raises(VersionError, match="9"):
        read(Bytes(CASSETTE | {"format_version": 9}))


RECORDER = {
    "version": "1.0",
    "metadata": {"recorded_at": "2026-02-17T20:25:23+00:00", "server_info": {"name": "c", "version": "1"}},
    "interactions": [
        {"type": "jsonrpc_request", "request": asks(2, a=1), "response": says(2, "one"), "latency_ms": 18},
        {"type": "jsonrpc_request", "request": asks(3, "b"), "response": says(4, "strange"), "latency_ms": 1},
        {"type": "jsonrpc_request", "request": asks(5, "c"), "response": None, "response_status": 502},
        {"type": "lifecycle", "request": None, "response": None, "http_method": "DELETE"},
    ],
}


def test_mcp_recorder():
    steps, orphans = parts(Bytes(RECORDER))
    assert [(step.observation, step.timing.duration_ms) for step in steps] == [("one", 18), (None, None), (None, None)]
    assert [orphan.code for orphan in orphans] == ["orphan_result", "unknown_record"]
    with pytest.raises(VersionError, match=r"2\.0"):
        read(Bytes(RECORDER | {"version": "2.0"}))


VCR = """interactions:
- request:
    body: '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "day", "arguments": {}}}'
    uri: https://example.org/mcp
  response:
    body:
      string: "event: message\\ndata: {\\"jsonrpc\\": \\"2.0\\", \\"id\\": 1, \\"result\\": {\\"content\\": []}}\\n\\n"
    status: {code: 200}
- request:
    parsed_body: {messages: []}
  response:
    parsed_body:
      content:
      - {type: mcp_tool_use, id: m1, name: ask, input: {when: 2026-12-01}}
      - {type: mcp_tool_result, tool_use_id: m1, is_error: true, content: [{type: text, text: not there}]}
version: 1
"""


def test_http_cassettes():
    steps, _ = parts(Bytes(VCR))
    assert [step.action.name for step in steps] == ["day", "ask"]
    assert steps[1].action.arguments == '{"when":"2026-12-01"}'
    assert (steps[1].observation, steps[1].outcome.status) == ("not there", Status.TOOL_ERROR)


def test_yaml_types_that_json_does_not_have():
    odd = "{when: !!timestamp 2026-12-01, raw: !!binary aGk=, some: !!set {a}, 1: .nan}"
    steps, _ = parts(Bytes(VCR.replace("{when: 2026-12-01}", odd)))
    assert '"raw":"hi"' in str(steps[1].action.arguments)
    assert '"1":null' in str(steps[1].action.arguments)


@pytest.mark.parametrize(
    "body",
    [
        "!!python/object/apply:os.system ['true']",
        "&a [*a]",
        "[&a [x,x,x,x,x,x,x,x,x,x]" + "".join(
            f", &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 10)}]" for n in range(9)
        ) + "]",
        "{" * 300,
    ],
)  # fmt: skip
def test_yaml_that_bites_does_nothing(body: str):
    with pytest.raises(FormatError):
        read(Bytes(f"interactions:\n- request: {body}\n"))


def test_nothing_to_import():
    with pytest.raises(InputError, match="no tool was called"):
        read(Bytes(jsonl(*snoop(*HELLO))))


def test_sniff_leaves_the_others_alone():
    for other in ({"version": "1.0", "log": {}}, {"direction": "north"}, {"messages": [{"role": "user"}]}, [1]):
        assert not McpLog().sniff(Bytes(json.dumps(other)))


def test_broken_versions():
    calls = [("c2s", asks(2, a=1)), ("s2c", says(2, "one")), ("c2s", asks("x", "mul")), ("s2c", says("x", "two"))]
    fuzz(McpLog, jsonl(*snoop(*HELLO, *calls)))
    fuzz(McpLog, CASSETTE)
    good = RECORDER["interactions"][0]  # type: ignore[index]
    other = {"type": "jsonrpc_request", "request": asks(9, "z"), "response": says(9, "nine"), "latency_ms": 2}
    fuzz(McpLog, RECORDER | {"interactions": [good, other]})
    fuzz(McpLog, VCR)


@pytest.mark.shared
def test_real_files(shared_data: Path):
    # jq '[.interactions[]|select(.request.method=="tools/call")]|length' recorder_mock_session.json → 4
    # jq '[.interactions[]|select(.type=="lifecycle")]|length' → 2, …=="notification" → 1
    name = "mcp/recorder_mock_session.json"
    steps, orphans = parts(Bytes((shared_data / name).read_bytes(), name))
    assert [step.observation for step in steps][:3] == ["5", "7.0", "hello mcp-recorder"]
    assert len(steps) == 4
    assert sorted(orphan.code for orphan in orphans) == ["notification", "unknown_record", "unknown_record"]
    # grep -c 'type: mcp_tool_use' vcr_anthropic_mcp.yaml → 3: one stands in a request, as context
    name = "mcp/vcr_anthropic_mcp.yaml"
    steps, orphans = parts(Bytes((shared_data / name).read_bytes(), name))
    assert len(steps) == 2
    assert all(step.observation for step in steps)
    assert orphans == []
