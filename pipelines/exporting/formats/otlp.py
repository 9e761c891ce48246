"""OpenTelemetry traces as OTLP JSON Lines, by the semantic conventions for generative AI."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, BinaryIO, ClassVar
from uuid import UUID

from worldtape.collectors.importers._mcp import ACTIONS
from worldtape.collectors.importers._values import as_dict
from worldtape.pipelines.exporting import _ours as ours
from worldtape.pipelines.exporting._tools import definitions
from worldtape.pipelines.importing._encode import ascii_json
from worldtape.schemas import Domain, EndStatus, Episode, Status, canonical_json, transition_id

Row = ours.Row
_INTERNAL, _CLIENT = 1, 3
_ERROR = 2
_WORD = 1 << 63
_FINE = frozenset({Status.OK, Status.UNKNOWN, Status.TIMEOUT_STILL_RUNNING})
_UNTOLD = ("first_output_at", "state_before", "snapshot", "fault", "parts", "extra")
_SCALARS = (
    "step",
    "status",
    "actor",
    "wait_s",
    "timeout_s",
    "exit_codes",
    "signal",
    "reward",
    "lossiness",
    "duration_ms",
)
_TEXTS = ("action_kind", "action_text", "action_raw", "target", "batch", "shown_text", "settled_by", "renderer")
_MORE = ("renderer_version", "renderer_params", "error_type", "error_message", "error_code", "state_after")


class Otlp:
    """A trace for each trajectory: a span of the agent, below it one for each transition."""

    name: ClassVar[str] = "otlp"
    title: ClassVar[str] = "OpenTelemetry traces"
    version: ClassVar[str] = "OTLP 1, GenAI conventions of 2026"
    domains: ClassVar[tuple[Domain, ...]] = tuple(Domain)
    suffix: ClassVar[str] = ".jsonl"
    lines: ClassVar[bool] = True
    loses: ClassVar[tuple[str, ...]] = _UNTOLD

    def unfit(self, episode: Episode) -> str | None:  # noqa: ARG002
        """Take everything: a start that failed is a trace too."""
        return None

    def write(self, episode: Episode, out: BinaryIO) -> None:
        """Write one line, an `ExportTraceServiceRequest`."""
        row = episode.trajectory
        spans = [_agent(row), *(_transition(row, each) for each in episode.transitions)]
        resource = {"service.name": "worldtape", "container.image.name": row["image"]}
        scope = {"scope": {"name": "worldtape"}, "spans": spans}
        out.write(ascii_json({"resourceSpans": [{"resource": {"attributes": _all(resource)}, "scopeSpans": [scope]}]}))
        out.write(b"\n")


def _agent(row: Row) -> dict[str, Any]:
    parameters = as_dict(as_dict(ours.column(row, "policy")).get("parameters"))
    name = str(parameters.get("agent") or row["policy_kind"] or "")
    tools = definitions(row)
    known = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": name or None,
        "gen_ai.conversation.id": row["trajectory_id"],
        "gen_ai.request.model": row["policy_model"],
        "gen_ai.input.messages": _asked(row["instruction"]),
        "gen_ai.tool.definitions": canonical_json(tools) if tools else None,
    }
    names = ("domain", "task_id", "benchmark", "tags", "end_status", "reward", "source_format", "licence")
    span = {
        "traceId": _trace(row["trajectory_id"]),
        "spanId": _span(row["trajectory_id"]),
        "name": f"invoke_agent {name}".rstrip(),
        "kind": _INTERNAL,
        **_times(row["started_at"], row["ended_at"]),
        "attributes": _all(known | {f"worldtape.{each}": row[each] for each in names}),
        "status": _status(failed=row["end_status"] == EndStatus.FAILED, message=row["end_reason"]),
    }
    return span if row["parent"] is None else span | {"links": [_link(row)]}


def _transition(head: Row, row: Row) -> dict[str, Any]:
    name = row["action_name"] or row["action_kind"]
    failed = row["status"] not in _FINE
    mcp = _mcp(head, row) if row["domain"] == Domain.MCP else {}
    known = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function" if row["action_kind"] == "tool_call" else None,
        "gen_ai.tool.call.id": row["transition_id"],
        "gen_ai.tool.call.arguments": row["action_text"] if row["arguments"] is None else row["arguments"],
        "gen_ai.tool.call.result": row["observation_text"],
        "process.exit.code": row["exit_code"],
        "error.type": _error_type(row) if failed else None,
    }
    return {
        "traceId": _trace(row["trajectory_id"]),
        "spanId": _span(row["transition_id"]),
        "parentSpanId": _span(row["trajectory_id"]),
        "name": f"execute_tool {name}",
        "kind": _CLIENT if mcp else _INTERNAL,
        **_times(row["started_at"], row["ended_at"]),
        "attributes": _all(known | mcp | {f"worldtape.{each}": row[each] for each in (*_SCALARS, *_TEXTS, *_MORE)}),
        "status": _status(failed=failed, message=row["error_message"] or row["status"]),
    }


def _mcp(head: Row, row: Row) -> dict[str, Any]:
    name = row["action_name"]
    versions = as_dict(as_dict(ours.column(head, "environment")).get("versions"))
    told = as_dict(as_dict(ours.column(row, "extra")).get("source")).get("id")
    code = row["error_code"] if row["status"] == Status.PROTOCOL_ERROR else None
    return {
        "mcp.method.name": name if name in ACTIONS else "tools/call",
        "mcp.protocol.version": versions.get("mcp"),
        "jsonrpc.request.id": None if told is None else str(told),
        "rpc.response.status_code": None if code is None else str(code),
    }


def _error_type(row: Row) -> str:
    told = row["status"] == Status.PROTOCOL_ERROR and row["error_code"] is not None
    return str(row["error_code"] if told else row["status"])


def _asked(instruction: str | None) -> str | None:
    if not instruction:
        return None
    return canonical_json([{"role": "user", "parts": [{"type": "text", "content": instruction}]}])


def _link(row: Row) -> dict[str, Any]:
    parent, step = row["parent"], row["branch_step"]
    place = parent if step is None else transition_id(parent, step)
    attributes = _all({"worldtape.lineage_kind": row["lineage_kind"]})
    return {"traceId": _trace(parent), "spanId": _span(place), "attributes": attributes}


def _trace(trajectory_id: str) -> str:
    """Return the 16 bytes of the UUID that an id is, else of its SHA-256, as hexadecimal digits."""
    try:
        return UUID(trajectory_id).hex
    except ValueError:
        return hashlib.sha256(trajectory_id.encode()).hexdigest()[:32]


def _span(name: str) -> str:
    """Return 8 bytes of SHA-256 as hexadecimal digits."""
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def _times(started_at: int | None, ended_at: int | None) -> dict[str, str]:
    """Return nanoseconds as decimal texts, as 64-bit integers are in this mapping; none where no time is known."""
    first = started_at if started_at is not None else ended_at
    last = ended_at if ended_at is not None else started_at
    if first is None or last is None:
        return {}
    return {"startTimeUnixNano": f"{first * 1000}", "endTimeUnixNano": f"{max(first, last) * 1000}"}


def _status(*, failed: bool, message: str | None) -> dict[str, Any]:
    """Return an error; else nothing, which the conventions ask for."""
    return {"code": _ERROR, "message": message or ""} if failed else {}


def _all(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = {key: value for key, value in values.items() if value is not None and value != []}
    return [{"key": key, "value": _any(value)} for key, value in found.items()]


def _any(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int) and -_WORD <= value < _WORD:
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_any(item) for item in value]}}
    return {"stringValue": str(value)}
