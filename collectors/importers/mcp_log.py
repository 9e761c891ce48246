"""Recordings of MCP connections: cassettes, proxies' logs, and HTTP cassettes that hold MCP calls."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from worldtape.collectors.importers import _ours, _vcr
from worldtape.collectors.importers._head import first_value
from worldtape.collectors.importers._json import document, lines, parse
from worldtape.collectors.importers._mcp import Facts, Fold, Frame
from worldtape.collectors.importers._values import as_dict, as_float, as_list, as_str, kept, micros, too_deep
from worldtape.errors import FormatError, InputError, VersionError
from worldtape.schemas import (
    Domain,
    End,
    EndStatus,
    Imported,
    Lossiness,
    Orphan,
    PolicySpec,
    Rejected,
    SourceFile,
)

_LOSSES = (Lossiness.NO_ENV_IMAGE, Lossiness.NO_PROBES, Lossiness.NO_INITIAL_STATE)
_CLIENT = frozenset({"c2s", "client->server", "client_to_server", "client-to-server", "client", "outgoing"})
_SERVER = frozenset({"s2c", "server->client", "server_to_client", "server-to-client", "server", "incoming"})
_YAML = re.compile(rb"(?:\A|\n)interactions:[ \t]*\r?\n[ \t]*- ")


class McpLog:
    """A connection is a trajectory; a call and its answer are a transition."""

    name: ClassVar[str] = "mcp-log"
    title: ClassVar[str] = "MCP recordings"
    versions: ClassVar[str] = "mcp-recorder 1.0, mcp-cassette 3, mcpsnoop and mcp-rec JSON Lines, VCR 1"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.MCP,)
    lossiness: ClassVar[tuple[Lossiness, ...]] = (
        *_LOSSES,
        Lossiness.NO_TIMESTAMPS,
        Lossiness.WALL_CLOCK_ONLY,
        Lossiness.NO_TOOL_SCHEMAS,
        Lossiness.TAIL_MISSING,
        Lossiness.TRUNCATED_NO_FULL,
    )

    def sniff(self, source: SourceFile) -> bool:
        """Look for interactions, for frames with a direction, or for an HTTP cassette in YAML."""
        head = source.head.lstrip()
        if head[:1] != b"{":
            return _YAML.search(head) is not None and b"request:" in head
        value = first_value(source)
        return isinstance(value, dict) and _kind(value) is not None

    def read(self, source: SourceFile) -> Iterator[Imported | Rejected]:
        """Give a trajectory for each connection that has calls."""
        kind = "vcr" if source.head.lstrip()[:1] != b"{" else _kind(as_dict(first_value(source)))
        if kind is None:
            raise FormatError("neither a cassette nor a log of MCP", where=source.name)
        yield from _READERS[kind](source)


def _kind(value: dict[str, Any]) -> str | None:
    interactions = value.get("interactions")
    if isinstance(interactions, list) and isinstance(value.get("metadata"), dict) and "version" in value:
        return "recorder"
    if isinstance(interactions, list) and "request" in as_dict(next(iter(interactions), None)):
        return "vcr"
    if "format_version" in value and ("messages" in value or "transport" in value):
        return "cassette"
    if isinstance(value.get("direction"), str) and ("session_id" in value or "transport" in value):
        return "lines" if "raw" in value or "text" in value else None
    direction = as_str(value.get("dir"))
    return "lines" if direction in _CLIENT | _SERVER and "msg" in value else None


def _recorder(source: SourceFile) -> Iterator[Imported]:
    """Read a cassette of mcp-recorder: each interaction holds a request and its own response."""
    value = as_dict(document(source))
    if value.get("version") not in ("1.0", "1", 1):
        raise VersionError(f"mcp-recorder version {str(value.get('version'))[:40]}; 1.0 is read", where=source.name)
    meta = as_dict(value.get("metadata"))
    facts = Facts(started_at=micros(meta.get("recorded_at")))
    facts.know(as_dict(meta.get("server_info")), meta.get("protocol_version"))
    frames = list(_interactions(as_list(value.get("interactions"))))
    extra = kept({"server_url": meta.get("server_url"), "recorded_at": meta.get("recorded_at")})
    yield _trajectory(source, "", facts, frames, extra)


def _interactions(items: list[Any]) -> Iterator[Frame | Orphan]:
    for number, item in enumerate(items):
        fields, locator = as_dict(item), f"/interactions/{number}"
        request, response = fields.get("request"), fields.get("response")
        if not isinstance(request, (dict, list)):
            kind = {"type": fields.get("type"), "http_method": fields.get("http_method")}
            yield Orphan("unknown_record", {"at": locator} | kept(kind))
            continue
        status = fields.get("response_status")
        code = status if isinstance(status, int) and not isinstance(status, bool) and 0 < status < 1000 else None  # noqa: PLR2004
        yield Frame(c2s=True, value=request, locator=locator)
        if response is not None:
            latency = as_float(fields.get("latency_ms"))
            yield Frame(c2s=False, value=response, locator=locator, latency_ms=latency, status=code)


def _cassette(source: SourceFile) -> Iterator[Imported]:
    """Read a cassette of mcp-cassette: messages with a sender and an offset from the start."""
    value = as_dict(document(source))
    version = value.get("format_version")
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= 3:  # noqa: PLR2004
        raise VersionError(f"mcp-cassette version {str(version)[:40]}; 1 to 3 are read", where=source.name)
    start = micros(value.get("recorded_at")) or None  # 1970: its writer knew no time
    ours = _ours.member(value.get(_ours.MEMBER))
    facts = Facts(started_at=start)
    facts.know(as_dict(value.get("server_info")), value.get("protocol_version"))
    frames: list[Frame | Orphan] = []
    for number, item in enumerate(as_list(value.get("messages"))):
        fields = as_dict(item)
        offset = as_float(fields.get("t_offset_ms"))
        at = None if start is None or offset is None else start + round(offset * 1000)
        direction, locator = as_str(fields.get("sender")), f"/messages/{number}"
        if direction not in _CLIENT | _SERVER or not isinstance(fields.get("payload"), (dict, list)):
            frames.append(Orphan("unknown_record", {"at": locator} | kept({"kind": fields.get("kind")})))
        else:
            known = fields.get(_ours.MEMBER) if ours is not None else None
            beside = known if isinstance(known, dict) and not too_deep(known) else None
            frames.append(Frame(c2s=direction in _CLIENT, value=fields["payload"], locator=locator, at=at, ours=beside))
    read = _trajectory(source, "", facts, frames, kept(value, "messages", "recorded_at", "server_info"))
    yield read if ours is None else _ours.trajectory(ours["trajectory"], read.steps, "")


def _vcr_file(source: SourceFile) -> Iterator[Imported]:
    frames = list(_vcr.frames(source))
    yield _trajectory(source, "", Facts(), frames, {})


def _trajectory(
    source: SourceFile, locator: str, facts: Facts, frames: list[Frame | Orphan], extra: dict[str, Any]
) -> Imported:
    recorded = facts.started_at
    for frame in frames:
        if isinstance(frame, Frame):
            facts.take(frame)
    facts.started_at = recorded if recorded is not None else facts.started_at
    if not facts.calls:
        raise InputError("no tool was called: nothing to import", where=source.name)
    return _imported(locator, facts, Fold().run(frames), extra)


def _imported(locator: str, facts: Facts, steps: Any, extra: dict[str, Any], backend: str | None = None) -> Imported:
    losses: tuple[Lossiness, ...] = _LOSSES + (
        (Lossiness.WALL_CLOCK_ONLY,) if facts.timed else (Lossiness.NO_TIMESTAMPS,)
    )
    losses += () if facts.tools else (Lossiness.NO_TOOL_SCHEMAS,)
    return Imported(
        locator=locator,
        domain=Domain.MCP,
        environment=facts.environment(backend),
        policy=PolicySpec(kind="imported"),
        steps=steps,
        lossiness=losses,
        started_at=facts.started_at,
        end=End(status=EndStatus.COMPLETED),
        extra=facts.extra | extra,
    )


@dataclass(slots=True)
class _Session:
    """Where the frames of one connection stand in a log, and what is known of it."""

    facts: Facts = field(default_factory=Facts)
    offsets: array[int] = field(default_factory=lambda: array("Q"))
    extra: dict[str, Any] = field(default_factory=dict)
    backend: str | None = None


def _log(source: SourceFile) -> Iterator[Imported]:
    """Read a log of frames, a line each: once to find the connections, then the lines of each."""
    sessions: dict[str, _Session] = {}
    for offset, line in lines(source):
        name, item = _line(offset, line)
        session = sessions.setdefault(name, _Session()) if name or not sessions else next(iter(sessions.values()))
        session.offsets.append(offset)
        if isinstance(item, Frame):
            session.facts.take(item)
        elif item.code == "meta":
            session.extra |= kept(item.details)
            session.backend = as_str(item.details.get("transport")) or session.backend
    if not any(session.facts.calls for session in sessions.values()):
        raise InputError("no tool was called: nothing to import", where=source.name)
    for name, session in sessions.items():
        if session.facts.calls:
            steps = Fold().run(_frames(source, session.offsets))
            yield _imported(name, session.facts, steps, session.extra, session.backend)


def _frames(source: SourceFile, offsets: array[int]) -> Iterator[Frame | Orphan]:
    with source.open() as file:
        for offset in offsets:
            file.seek(offset)
            line = file.readline().removeprefix(b"\xef\xbb\xbf") if offset == 0 else file.readline()
            item = _line(offset, line.rstrip(b"\r\n"))[1]
            if isinstance(item, Frame) or item.code != "meta":
                yield item


def _line(offset: int, line: bytes) -> tuple[str, Frame | Orphan]:
    """Return the name of the connection (empty where the line tells none) and what the line holds."""
    locator = f"bytes:{offset}-{offset + len(line)}"
    try:
        value = as_dict(parse(line))
    except FormatError:
        return "", Orphan("bad_line", {"at": locator})
    told = [value.get(key) for key in ("session_id", "server_label", "conn_id")]
    name = "/".join(str(part)[:200] for part in told if isinstance(part, (str, int)))
    direction = as_str(value.get("direction", value.get("dir")))
    at = micros(value.get("ts"))
    if direction == "meta":
        return name, Orphan("meta", as_dict(value.get("raw")) | kept({"transport": value.get("transport")}))
    if direction == "stderr":
        return name, Orphan("stderr", {"at": locator} | kept({"text": value.get("text", value.get("raw"))}))
    raw = value.get("raw", value.get("msg"))
    raw = _decoded(raw if raw is not None else value.get("text"))
    if direction not in _CLIENT | _SERVER or not isinstance(raw, (dict, list)):
        return name, Orphan("unknown_record", {"at": locator})
    status = value.get("status")
    code = status if isinstance(status, int) and not isinstance(status, bool) and 0 < status < 1000 else None  # noqa: PLR2004
    cut = value.get("truncated") is True
    return name, Frame(c2s=direction in _CLIENT, value=raw, locator=locator, at=at, status=code, cut=cut)


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return parse(value.encode("utf-8", "replace"))
    except FormatError:
        return None


_READERS: dict[str, Callable[[SourceFile], Iterator[Imported]]] = {
    "recorder": _recorder,
    "cassette": _cassette,
    "lines": _log,
    "vcr": _vcr_file,
}
