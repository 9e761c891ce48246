"""MCP frames folded into transitions: requests and answers of one connection, told apart by direction and id."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from worldtape.collectors.importers import _ours
from worldtape.collectors.importers._values import as_dict, as_list, as_str, kept, too_deep, tool_call
from worldtape.schemas import (
    Batch,
    EnvironmentSpec,
    ErrorInfo,
    ImportedStep,
    Lossiness,
    Orphan,
    Outcome,
    Status,
    Timing,
    Tool,
    canonical_json,
)

ACTIONS = frozenset({"tools/call", "resources/read", "prompts/get"})
"""Requests that ask the server's world for something; the others arrange the connection."""
ARRANGING = frozenset({"initialize", "tools/list", "ping", "server/discover"})
_MOST_OPEN = 10_000


@dataclass(slots=True)
class Frame:
    """One message on the wire."""

    c2s: bool
    """From client to server."""
    value: Any
    locator: str
    at: int | None = None
    """Microseconds since 1970 UTC."""
    latency_ms: float | None = None
    status: int | None = None
    """HTTP status."""
    cut: bool = False
    ours: dict[str, Any] | None = None
    """What our exporter put beside a request."""


@dataclass(slots=True)
class Facts:
    """What is known of the server before the first call."""

    tools: dict[str, Tool] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    calls: int = 0
    results: int = 0
    started_at: int | None = None
    timed: bool = False
    _asked: dict[str, str] = field(default_factory=dict)

    def take(self, frame: Frame) -> None:
        """Learn from a frame."""
        self.timed = self.timed or frame.at is not None
        self.started_at = frame.at if self.started_at is None else self.started_at
        for value, _ in singles(frame.value):
            key = id_key(value.get("id"))
            method = value.get("method")
            if frame.c2s and isinstance(method, str) and key is not None:
                self.calls += method in ACTIONS
                if method in ARRANGING:
                    self._asked[key] = method
                if method == "initialize":
                    self.extra["client"] = as_dict(as_dict(value.get("params")).get("clientInfo"))
            elif not frame.c2s and method is None and key is not None:
                self.results += 1
                self._learn(self._asked.pop(key, ""), as_dict(value.get("result")))

    def _learn(self, method: str, result: dict[str, Any]) -> None:
        if too_deep(result):
            return
        if method == "initialize":
            server = as_dict(result.get("serverInfo"))
            self.know(server, result.get("protocolVersion"))
            self.extra |= kept({"capabilities": result.get("capabilities"), "instructions": result.get("instructions")})
        elif method == "tools/list":
            for tool in tools_of(result.get("tools")):
                self.tools.setdefault(tool.name, tool)

    def know(self, server: dict[str, Any], protocol: Any) -> None:
        """Take the server's name and version, and the protocol's."""
        name, version = as_str(server.get("name")), as_str(server.get("version"))
        if name:
            self.versions[name] = version or "unknown"
        if isinstance(protocol, str):
            self.versions["mcp"] = protocol

    def environment(self, backend: str | None = None) -> EnvironmentSpec:
        """Return the environment of the connection."""
        tools = tuple(self.tools.values())
        return EnvironmentSpec(kind="mcp", backend=backend, network="unknown", versions=self.versions, tools=tools)


def tools_of(items: Any) -> tuple[Tool, ...]:
    """Return tools as `tools/list` declares them."""
    found = []
    for item in as_list(items):
        fields = as_dict(item)
        name = as_str(fields.get("name"))
        if name is None or too_deep(fields):
            continue
        schema = fields.get("inputSchema", fields.get("input_schema"))
        shape = None if schema is None else canonical_json(schema)
        found.append(Tool(name=name, description=as_str(fields.get("description")), input_schema=shape))
    return tuple(found)


def singles(value: Any) -> Iterator[tuple[dict[str, Any], Batch | None]]:
    """Give the messages of a frame; the calls of a JSON-RPC batch carry their place in it."""
    if not isinstance(value, list):
        if isinstance(value, dict):
            yield value, None
        return
    items = [item for item in value if isinstance(item, dict)]
    calls = [item for item in items if as_str(item.get("method")) in ACTIONS]
    number = 0
    for item in items:
        batch = None
        if as_str(item.get("method")) in ACTIONS and len(calls) > 1:
            batch = Batch(id=f"rpc-{id_key(calls[0].get('id'))}", index=number, size=len(calls))
            number += 1
        yield item, batch


def id_key(value: Any) -> str | None:
    """Return an id with its type, so that 1 and "1" stay two; None where it is no id."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return f"{'s' if isinstance(value, str) else 'n'}:{value}"


@dataclass(slots=True)
class _Open:
    """A request and, once it came, its answer."""

    step: ImportedStep | None
    at: int | None
    done: bool = False
    doubtful: bool = False
    """Another request with the same id was open at the same time."""
    ours: dict[str, Any] | None = None

    def whole(self) -> ImportedStep | None:
        """Return the transition, with what our exporter put beside it."""
        step = self.step
        if step is None or self.ours is None:
            return step
        return _ours.step(step.action, step.observation, self.ours, step.locator or "")


class Fold:
    """One connection. Steps come in the order of their requests, once they are answered or given up."""

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}
        self._by_id: dict[str, int] = {}
        self._others: dict[str, str] = {}
        self._given_up: set[str] = set()
        self._number = 0
        self._last: int | None = None

    def run(self, frames: Iterable[Frame | Orphan]) -> Iterator[ImportedStep | Orphan]:
        """Give the transitions of the frames of one connection."""
        for frame in frames:
            if isinstance(frame, Orphan):
                yield frame
                continue
            if frame.at is not None and self._last is not None and frame.at < self._last:
                yield Orphan("time_backwards", {"at": frame.locator, "microseconds": self._last - frame.at})
            self._last = frame.at if frame.at is not None else self._last
            for value, batch in singles(frame.value):
                yield from self._client(frame, value, batch) if frame.c2s else self._server(frame, value)
            yield from self._ready()
        yield from self._rest()

    def _client(self, frame: Frame, value: dict[str, Any], batch: Batch | None) -> Iterator[Orphan]:
        method, key = value.get("method"), id_key(value.get("id"))
        if not isinstance(method, str):
            yield Orphan("client_answer", {"at": frame.locator, "id": value.get("id")})
        elif key is None:
            if method == "notifications/cancelled":
                self._cancel(as_dict(value.get("params")))
            yield Orphan("notification", {"from": "client", "method": method, "at": frame.locator})
        elif method in ACTIONS:
            yield from self._request(frame, value, key, batch)
        else:
            self._others[key] = method
            if method not in ARRANGING:
                yield Orphan("unknown_record", {"method": method, "at": frame.locator})

    def _request(self, frame: Frame, value: dict[str, Any], key: str, batch: Batch | None) -> Iterator[Orphan]:
        params = {name: item for name, item in as_dict(value.get("params")).items() if name != "_meta"}
        method = value["method"]
        name = as_str(params.get("name")) if method == "tools/call" else method
        if name is None or too_deep(params):
            yield Orphan("unknown_record", {"method": method, "at": frame.locator, "reason": "no usable parameters"})
            self._others[key] = method
            return
        arguments = params.get("arguments") if method == "tools/call" else params
        step = ImportedStep(
            action=tool_call(name, arguments, batch=batch),
            observation=None,
            outcome=Outcome(status=Status.UNKNOWN),
            timing=Timing(started_at=frame.at),
            locator=frame.locator,
            extra={"id": value.get("id")},
        )
        entry = _Open(step, frame.at, ours=frame.ours)
        earlier = self._open.get(self._by_id.get(key, -1))
        if earlier is not None and not earlier.done:
            same = earlier.step is not None and earlier.step.action.text == step.action.text
            earlier.doubtful = entry.doubtful = not same
        self._number += 1
        self._open[self._number] = entry
        self._by_id[key] = self._number
        self._given_up.discard(key)

    def _cancel(self, params: dict[str, Any]) -> None:
        key = id_key(params.get("requestId"))
        entry = self._open.get(self._by_id.get(key or "", -1))
        if key is None or entry is None or entry.done or entry.step is None:
            return
        entry.done = True
        entry.step.outcome = Outcome(status=Status.INTERRUPTED)
        self._given_up.add(key)

    def _server(self, frame: Frame, value: dict[str, Any]) -> Iterator[Orphan]:
        method, key = value.get("method"), id_key(value.get("id"))
        if isinstance(method, str):
            code = "notification" if key is None else "server_request"
            yield Orphan(code, {"from": "server", "method": method, "at": frame.locator})
            return
        entry = self._open.get(self._by_id.get(key or "", -1))
        if key is not None and entry is not None and not entry.done and not entry.doubtful:
            if too_deep(value):
                entry.done = True
                yield Orphan("unknown_record", {"at": frame.locator, "reason": "an answer is nested too deep"})
                return
            _answer(entry, frame, value)
            return
        if key is not None and self._others.pop(key, None) is not None:
            return
        code = "late_answer" if key in self._given_up else "orphan_result"
        yield Orphan(code, {"at": frame.locator, "id": value.get("id")} | _told(value))

    def _ready(self) -> Iterator[ImportedStep]:
        while self._open:
            number, entry = next(iter(self._open.items()))
            if not entry.done and len(self._open) <= _MOST_OPEN:
                return
            del self._open[number]
            if not entry.done:
                self._given_up |= {key for key, held in self._by_id.items() if held == number}
            step = entry.whole()
            if step is not None:
                yield step

    def _rest(self) -> Iterator[ImportedStep]:
        for entry in self._open.values():
            step = entry.whole()
            if step is None:
                continue
            if not entry.done and entry.ours is None:
                step.lossiness += (Lossiness.TAIL_MISSING,)
            yield step


def _told(value: dict[str, Any]) -> dict[str, Any]:
    return kept({"result": value.get("result"), "error": value.get("error")})


def _answer(entry: _Open, frame: Frame, value: dict[str, Any]) -> None:
    entry.done = True
    step = entry.step
    if step is None:
        return
    step.observation, step.outcome = observed(value)
    span = None if frame.at is None or entry.at is None else max(0, frame.at - entry.at) / 1000
    duration = frame.latency_ms if frame.latency_ms is not None else span
    step.timing = Timing(started_at=entry.at, ended_at=frame.at, duration_ms=duration)
    step.extra |= kept({"structuredContent": as_dict(value.get("result")).get("structuredContent")})
    step.extra |= {"http_status": frame.status} if frame.status is not None else {}
    if frame.cut:
        step.lossiness += (Lossiness.TRUNCATED_NO_FULL,)


def observed(value: dict[str, Any]) -> tuple[str, Outcome]:
    """Return the text of an answer, and how the call ended."""
    error = value.get("error")
    if error is not None:
        fields = as_dict(error)
        code = fields.get("code")
        whole = code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 31 else None
        info = ErrorInfo(type="jsonrpc", message=as_str(fields.get("message")), code=whole)
        return canonical_json(error), Outcome(status=Status.PROTOCOL_ERROR, error=info)
    result = value.get("result")
    fields = as_dict(result)
    status = Status.TOOL_ERROR if fields.get("isError") is True else Status.OK
    return text_of(result), Outcome(status=status, error=ErrorInfo(type="tool") if status != Status.OK else None)


def text_of(result: Any) -> str:
    """Return the text of a result: its text parts joined by line feeds, other parts as JSON without their bytes."""
    fields = as_dict(result)
    content = fields.get("content")
    if not isinstance(content, list):
        return canonical_json(result)
    if not content and fields.get("structuredContent") is not None:
        return canonical_json(fields["structuredContent"])
    return "\n".join(_part(part) for part in content)


def _part(part: Any) -> str:
    fields = as_dict(part)
    if fields.get("type") == "text" and isinstance(fields.get("text"), str):
        return str(fields["text"])
    return canonical_json(_bare(part))


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _digest(item) if key in ("data", "blob") else _bare(item) for key, item in value.items()}
    return [_bare(item) for item in value] if isinstance(value, list) else value


def _digest(value: Any) -> Any:
    if not isinstance(value, str):
        return _bare(value)
    return f"sha256:{hashlib.sha256(value.encode('utf-8', 'replace')).hexdigest()}"
