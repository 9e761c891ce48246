"""The frames of an MCP connection: as the tape holds them, or made of transitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.importers import _mcp
from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._mcp import ACTIONS, Fold
from worldtape.collectors.importers._ours import OBSERVED
from worldtape.collectors.importers._values import as_dict, as_str
from worldtape.errors import FormatError
from worldtape.pipelines.exporting import _ours as ours
from worldtape.schemas import Episode, EventKind, ImportedStep, Status, canonical_json

_SENDERS = {"mcp.out": "client", "mcp.in": "server"}
_FINE = frozenset({Status.OK, Status.UNKNOWN, Status.TIMEOUT_STILL_RUNNING})
_INTERNAL = -32603
_FIRST = 2
"""The id of the first call; 0 and 1 are those of the handshake."""


@dataclass(slots=True)
class Frame:
    """One message on the wire."""

    sender: str
    """`client` or `server`."""
    payload: Any
    """An object, or the text of a line that is none."""
    at_us: int
    """Microseconds since the connection began; never decreases."""
    row: ours.Row | None = None
    """The transition that it asks for."""
    beside: dict[str, Any] | None = None
    """What our importer cannot read from the messages, on the request of a transition."""

    def field(self, name: str) -> Any:
        """Return a member of the message."""
        return self.payload.get(name) if isinstance(self.payload, dict) else None

    @property
    def kind(self) -> str:
        """What kind of message it is, as mcp-cassette tells them apart."""
        if not isinstance(self.payload, dict):
            return "raw"
        if "method" in self.payload:
            return "request" if "id" in self.payload else "notification"
        return "response" if "id" in self.payload else "unclassified"


def of(episode: Episode) -> list[Frame]:
    """Return the frames of an episode; the request of each transition has what our importer would not read of it."""
    frames = list(_recorded(episode)) or list(_built(episode))
    for number, step in _read_back(frames).items():
        row = frames[number].row
        if row is not None:
            frames[number].beside = _beside(row, step)
    return frames


def _recorded(episode: Episode) -> Iterator[Frame]:
    """Give the lines of the channels `mcp.out` and `mcp.in`; none where the tape has no such channels."""
    rows = {row["step"]: row for row in episode.transitions}
    for frame, step in _lines(episode):
        if frame.sender == "client" and frame.field("method") in ACTIONS:
            frame.row = rows.pop(step, None)
        yield frame


def _built(episode: Episode) -> Iterator[Frame]:
    """Give a handshake, where the protocol's version is known, and a request and an answer for each call."""
    start = episode.trajectory["started_at"] or 0
    latest, number = 0, _FIRST
    yield from _handshake(episode)
    for row in episode.transitions:
        if row["action_name"] is None:
            continue
        latest = max(latest, (row["started_at"] or 0) - start)
        yield Frame("client", _request(number, row), latest, row)
        answer = _answer(number, row)
        if answer is not None:
            latest = max(latest, (row["ended_at"] or 0) - start)
            yield Frame("server", answer, latest)
        number += 1


def _read_back(frames: list[Frame]) -> dict[int, ImportedStep]:
    """Return the transitions that our importer reads, by the number of the frame that asks."""
    known = ((number, frame) for number, frame in enumerate(frames) if isinstance(frame.payload, dict))
    read = Fold().run(_mcp.Frame(frame.sender == "client", frame.payload, str(number)) for number, frame in known)
    return {int(step.locator or 0): step for step in read if isinstance(step, ImportedStep)}


def greeting(frames: list[Frame]) -> tuple[dict[str, str] | None, str | None]:
    """Return the server's name and version and the protocol's version, as the answer to `initialize` has them."""
    for frame in frames:
        result = as_dict(frame.field("result"))
        if frame.sender == "server" and "protocolVersion" in result:
            server = as_dict(result.get("serverInfo"))
            name = as_str(server.get("name"))
            info = None if name is None else {"name": name, "version": as_str(server.get("version")) or "unknown"}
            return info, as_str(result.get("protocolVersion"))
    return None, None


def _lines(episode: Episode) -> Iterator[tuple[Frame, int | None]]:
    """Give the messages on the tape, those of a JSON-RPC batch one by one, with their steps."""
    tape = episode.tape()
    if tape is None:
        return
    rest = dict.fromkeys(_SENDERS, b"")
    for event in tape.events():
        channel = event.data.get("channel")
        if event.kind != EventKind.DATA or channel not in _SENDERS:
            continue
        *lines, rest[channel] = (rest[channel] + tape.payload(event)).split(b"\n")
        for line in filter(None, map(bytes.strip, lines)):
            value = _value(line)
            for payload in value if isinstance(value, list) else [value]:
                yield Frame(_SENDERS[channel], payload, event.mono_ns // 1000), event.step


def _value(line: bytes) -> Any:
    try:
        value = parse(line)
    except FormatError:
        value = None
    whole = isinstance(value, dict) or (isinstance(value, list) and all(isinstance(item, dict) for item in value))
    return value if whole else line.decode("utf-8", "replace")


def _handshake(episode: Episode) -> Iterator[Frame]:
    versions = (ours.column(episode.trajectory, "environment") or {}).get("versions") or {}
    protocol = versions.get("mcp")
    servers = [{"name": name, "version": version} for name, version in versions.items() if name != "mcp"]
    if protocol is not None and len(servers) == 1:
        client = {"name": "unknown", "version": "unknown"}
        hello = {"protocolVersion": protocol, "capabilities": {}, "clientInfo": client}
        yield _asks(0, "initialize", hello)
        yield _says(0, {"protocolVersion": protocol, "capabilities": {"tools": {}}, "serverInfo": servers[0]})
        yield Frame("client", {"jsonrpc": "2.0", "method": "notifications/initialized"}, 0)
    tools = ours.column(episode.trajectory, "tools")
    if tools:
        yield _asks(1, "tools/list", {})
        yield _says(1, {"tools": [_tool(tool) for tool in tools]})


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    told = {"name": tool["name"], "description": tool.get("description")}
    schema = tool.get("input_schema")
    told["inputSchema"] = {"type": "object"} if schema is None else parse(schema.encode())
    return {name: value for name, value in told.items() if value is not None}


def _asks(number: int, method: str, params: Any) -> Frame:
    return Frame("client", {"jsonrpc": "2.0", "id": number, "method": method, "params": params}, 0)


def _says(number: int, result: Any) -> Frame:
    return Frame("server", {"jsonrpc": "2.0", "id": number, "result": result}, 0)


def _request(number: int, row: ours.Row) -> dict[str, Any]:
    name, arguments = ours.call(row)
    method = name if name in ACTIONS else "tools/call"
    params = arguments if name in ACTIONS else {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def _answer(number: int, row: ours.Row) -> dict[str, Any] | None:
    text = row["observation_text"]
    if text is None:
        return None
    value = _object(text)
    told: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
    if row["status"] == Status.PROTOCOL_ERROR:
        code = row["error_code"] if row["error_code"] is not None else _INTERNAL
        return told | {"error": value or {"code": code, "message": row["error_message"] or text}}
    if row["action_name"] in ACTIONS and value is not None:
        return told | {"result": value}
    result = {"content": [{"type": "text", "text": text}], "isError": row["status"] not in _FINE}
    structured = as_dict(as_dict(ours.column(row, "extra")).get("source")).get("structuredContent")
    return told | {"result": result | ({} if structured is None else {"structuredContent": structured})}


def _object(text: str) -> dict[str, Any] | None:
    """Return the object whose canonical JSON `text` is; null: it is none."""
    try:
        value = parse(text.encode())
    except FormatError:
        return None
    return value if isinstance(value, dict) and canonical_json(value) == text else None


def _beside(row: ours.Row, step: ImportedStep) -> dict[str, Any]:
    facts = ours.beside(row, step.action, step.observation)
    if OBSERVED in facts and row["shown_text"] is None:
        facts["shown_text"] = None  # else the answer would be taken for it
    return facts
