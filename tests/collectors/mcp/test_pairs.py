"""Pairing of calls and answers, frame by frame."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from worldtape.collectors.mcp.proxy import Pairs
from worldtape.collectors.mcp.render.result import IN, OUT, McpResult

SPEC = {"kind": "mcp"}


def call(number: Any, name: str = "t", **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def answer(number: Any, text: str = "ok", **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": text}], **more}}


def cancel(number: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}


def told(*frames: tuple[str, Any], chunk: int | None = None, seed: int = 0) -> list[tuple[str, str, str | None]]:
    """Return name, status and text of each step, as a projection would have them."""
    wire = [(way, (frame if isinstance(frame, bytes) else json.dumps(frame).encode()) + b"\n") for way, frame in frames]
    pairs, screen, pending, fed = Pairs(SPEC), McpResult(), [], {OUT: 0, IN: 0}
    steps: dict[int, list[Any]] = {}
    cuts = random.Random(seed)
    clock = 0
    for way, data in wire:
        pieces = [data] if chunk is None else cut(data, chunk, cuts)
        for piece in pieces:
            clock += 1
            pending.append((way, piece))
            for kind, step, event in pairs.take(way, piece, clock, clock * 1000):
                if kind == "action":
                    assert step is not None
                    steps[step] = [event["name"], "open", None]
                elif kind == "captured":
                    pending = feed(screen, pending, fed, event["received"])
                    assert step is not None
                    steps[step][2] = screen.render()
                else:
                    assert step is not None
                    steps[step][1] = str(event["outcome"]["status"])
    return [tuple(steps[step]) for step in sorted(steps)]


def cut(data: bytes, size: int, cuts: random.Random) -> list[bytes]:
    pieces = []
    while data:
        end = cuts.randint(1, size)
        pieces.append(data[:end])
        data = data[end:]
    return pieces


def feed(screen: McpResult, pending: list[Any], fed: dict[str, int], limit: dict[str, int]) -> list[Any]:
    kept = []
    for way, data in pending:
        room = max(0, limit.get(way, 0) - fed[way])
        screen.feed(way, data[:room])
        fed[way] += len(data[:room])
        if data[room:]:
            kept.append((way, data[room:]))
    return kept


@pytest.mark.parametrize("chunk", [None, 1, 40])
def test_frames_that_are_no_answer_have_their_place(chunk: int | None) -> None:
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}
    frames = [
        (IN, b"Server 1.0 ready"),
        (OUT, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
        (IN, {"jsonrpc": "2.0", "id": 0, "result": {"serverInfo": {"name": "s", "version": "1"}}}),
        (OUT, call(1, "a")),
        (IN, progress),
        (IN, b"\xff\xfe garbage {"),
        (IN, {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}}),
        (OUT, {"jsonrpc": "2.0", "id": 1, "result": {"role": "assistant"}}),
        (IN, answer(1, "one")),
        (IN, answer(1, "again")),
        (IN, progress),
        (OUT, call(2, "b")),
        (IN, answer(1, "late")),
        (IN, answer(2, "two", isError=True)),
        (OUT, call("x", "c")),
        (IN, {"jsonrpc": "2.0", "id": "x", "error": {"code": -32601, "message": "no"}}),
        (OUT, call(9, "d")),
    ]
    assert told(*frames, chunk=chunk) == [
        ("a", "ok", "one"),
        ("b", "tool_error", "two"),
        ("c", "protocol_error", '{"code":-32601,"message":"no"}'),
        ("d", "open", None),
    ]


@pytest.mark.parametrize("chunk", [None, 7])
def test_parallel_calls(chunk: int | None) -> None:
    frames = [(OUT, call(1, "a")), (OUT, call(2, "b")), (IN, answer(2, "two")), (OUT, call(3, "c"))]
    frames += [(IN, answer(3, "three")), (IN, answer(1, "one"))]
    assert told(*frames, chunk=chunk) == [("a", "ok", "one"), ("b", "ok", "two"), ("c", "ok", "three")]


def test_answers_that_come_in_one_read() -> None:
    both = json.dumps(answer(1, "one")).encode() + b"\n" + json.dumps(answer(2, "two")).encode()
    assert told((OUT, call(1, "a")), (OUT, call(2, "b")), (IN, both)) == [("a", "ok", "one"), ("b", "ok", "two")]


def test_cancelled() -> None:
    frames = [(OUT, call(1, "a")), (OUT, cancel(1)), (OUT, call(2, "b")), (IN, answer(1, "late")), (IN, answer(2, "b"))]
    assert told(*frames) == [("a", "interrupted", None), ("b", "ok", "b")]


def test_two_open_calls_with_one_id() -> None:
    frames = [(OUT, call(1, "a")), (OUT, call(1, "b")), (IN, answer(1, "whose?")), (IN, answer(1, "and this?"))]
    assert told(*frames) == [("a", "unknown", None), ("b", "unknown", None)]
    reused = [(OUT, call(1, "a")), (IN, answer(1, "first")), (OUT, call(1, "b")), (IN, answer(1, "second"))]
    assert told(*reused) == [("a", "ok", "first"), ("b", "ok", "second")]


def test_batches() -> None:
    frames = [(OUT, [call(1, "a"), call(2, "b")]), (IN, [answer(2, "two"), answer(1, "one")])]
    assert told(*frames) == [("a", "ok", "two\none"), ("b", "ok", "two\none")]
    pairs = Pairs(SPEC)
    events = list(pairs.take(OUT, json.dumps(frames[0][1]).encode() + b"\n", 1, 1))
    assert [event["batch"]["index"] for _, _, event in events] == [0, 1]
    events = list(pairs.take(IN, json.dumps(frames[1][1]).encode() + b"\n", 2, 2))
    assert [event["lossiness"] for kind, _, event in events if kind == "result"] == [["obs_shared_by_batch"]] * 2


def test_after_a_gap_half_a_line_is_no_frame() -> None:
    pairs = Pairs(SPEC)
    list(pairs.take(OUT, json.dumps(call(1)).encode() + b"\n", 1, 1))
    list(pairs.take(IN, json.dumps(answer(1, "a")).encode()[:40], 2, 2))
    pairs.gap()
    assert list(pairs.take(IN, b'"}]}}\n', 3, 3)) == []
    assert [kind for kind, _, _ in pairs.take(IN, json.dumps(answer(1, "b")).encode() + b"\n", 4, 4)] == [
        "captured",
        "result",
    ]


def test_odd_calls_are_kept_verbatim() -> None:
    pairs = Pairs(SPEC)
    odd = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 5, "arguments": [1], "task": {}}}
    ((_, _, event),) = pairs.take(OUT, json.dumps(odd).encode() + b"\n", 1, 1)
    assert event["name"] is None
    assert json.loads(event["raw"]) == odd["params"]


def test_what_was_offered() -> None:
    pairs = Pairs(SPEC)
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    tools = [{"name": "a", "inputSchema": {"type": "object"}}, "no tool", {"name": "b"}]
    list(pairs.take(OUT, json.dumps(listing).encode() + b"\n", 1, 1))
    list(pairs.take(IN, json.dumps({"id": 1, "result": {"tools": tools, "nextCursor": "2"}}).encode() + b"\n", 1, 1))
    more = listing | {"id": 2, "params": {"cursor": "2"}}
    list(pairs.take(OUT, json.dumps(more).encode() + b"\n", 1, 1))
    list(pairs.take(IN, json.dumps({"id": 2, "result": {"tools": [{"name": "c"}]}}).encode() + b"\n", 1, 1))
    _, _, ready = pairs.ready()
    assert [tool["name"] for tool in ready["environment"]["tools"]] == ["a", "b", "c"]
    assert "tool_changes" not in ready
