"""Trajectories as OpenTelemetry traces, held against the protocol's own messages."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.pipelines.importing import put
from tests.pipelines.lakes import Written
from worldtape import export, import_files, project
from worldtape.pipelines.importing import ImportReport
from worldtape.schemas import Lineage, Task


def traces(lake: Path) -> list[dict[str, Any]]:
    """Return each line's spans; every line is what OTLP takes, unknown fields refused."""
    project(lake, workers=0)
    report = export(lake, lake.parent / "out", format="otlp", workers=0)
    assert report.ok
    assert not report.left_out
    (path,) = (lake.parent / "out").glob("*-of-00001.jsonl")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert len(lines) == report.trajectories
    for line in lines:
        request = ParseDict(_base64_ids(line), ExportTraceServiceRequest())
        spans = request.resource_spans[0].scope_spans[0].spans
        assert all(len(span.trace_id) == 16 and len(span.span_id) == 8 for span in spans)
        assert all(span.end_time_unix_nano >= span.start_time_unix_nano for span in spans)
        assert [span.parent_span_id for span in spans[1:]] == [spans[0].span_id] * (len(spans) - 1)
        assert len({span.span_id for span in spans}) == len(spans)
        assert {span.trace_id for span in spans} == {spans[0].trace_id}
    return lines


def _base64_ids(value: Any) -> Any:
    """OTLP writes ids as hexadecimal digits, where the general mapping of protobuf has base64."""
    if isinstance(value, list):
        return [_base64_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    ids = {"traceId", "spanId", "parentSpanId"}
    hexes = {key: base64.b64encode(bytes.fromhex(text)).decode() for key, text in value.items() if key in ids}
    return {key: _base64_ids(item) for key, item in value.items()} | hexes


def spans_of(line: dict[str, Any]) -> list[dict[str, Any]]:
    spans: list[dict[str, Any]] = line["resourceSpans"][0]["scopeSpans"][0]["spans"]
    return spans


def told(span: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def test_a_trajectory_is_a_trace(tmp_path: Path) -> None:
    task = Task(id="t", instruction="List the files.")
    tape = Written(tmp_path / "lake", task=task, lineage=Lineage(parent="other", step=3, kind="fork"))
    tape.data("$ ")
    tape.ready()
    times = {"started_at": 1_764_583_200_000_001, "ended_at": 1_764_583_201_000_002}
    tape.step(0, timing=times, outcome={"status": "tool_error", "exit_code": 2, "error": {"type": "exit"}})
    tape.step(1, timing={})
    tape.seal()
    agent, failed, fine = spans_of(traces(tmp_path / "lake")[0])
    assert agent["name"] == "invoke_agent script"
    assert told(agent)["gen_ai.operation.name"] == "invoke_agent"
    assert json.loads(told(agent)["gen_ai.input.messages"])[0]["parts"][0]["content"] == "List the files."
    assert agent["links"][0]["spanId"] != agent["spanId"]
    assert agent["status"] == {}
    assert failed["name"] == "execute_tool keystrokes"
    assert failed["startTimeUnixNano"] == "1764583200000001000"
    assert failed["endTimeUnixNano"] == "1764583201000002000"
    assert failed["status"] == {"code": 2, "message": "tool_error"}
    assert told(failed)["gen_ai.tool.call.arguments"] == "run 0"
    assert told(failed)["gen_ai.tool.call.result"] == "$ x"
    assert told(failed)["gen_ai.tool.call.id"] == "one:0"
    assert told(failed)["process.exit.code"] == "2"
    assert told(failed)["error.type"] == "tool_error"
    assert fine["status"] == {}
    assert "error.type" not in told(fine)


def test_calls_of_mcp_carry_its_attributes(tmp_path: Path) -> None:
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 10**30}}}
    error = {"jsonrpc": "2.0", "id": 7, "error": {"code": -32602, "message": "no such tool"}}
    item = {"type": "jsonrpc_request", "request": call, "response": error}
    put(tmp_path / "log", {"version": "1.0", "metadata": {"protocol_version": "2025-11-25"}, "interactions": [item]})
    import_files([tmp_path / "log"], tmp_path / "lake")
    agent, span = spans_of(traces(tmp_path / "lake")[0])
    assert "startTimeUnixNano" not in agent
    assert "startTimeUnixNano" not in span
    known = told(span)
    assert known["gen_ai.tool.call.arguments"] == '{"a":1000000000000000000000000000000}'
    assert known["mcp.method.name"] == "tools/call"
    assert known["mcp.protocol.version"] == "2025-11-25"
    assert known["jsonrpc.request.id"] == "7"
    assert (known["error.type"], known["rpc.response.status_code"]) == ("-32602", "-32602")
    assert span["status"] == {"code": 2, "message": "no such tool"}


def test_no_importer_takes_a_trace_for_something_else(tmp_path: Path) -> None:
    tape = Written(tmp_path / "lake")
    tape.ready()
    tape.step(0)
    tape.seal()
    traces(tmp_path / "lake")
    (path,) = (tmp_path / "out").glob("*.jsonl")
    report: ImportReport = import_files([path], tmp_path / "back")
    assert report.unknown == [(path.name, "JSON of unknown shape")]
