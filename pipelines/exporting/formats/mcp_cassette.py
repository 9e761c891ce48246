"""Cassettes of mcp-cassette, format version 3: the messages of one MCP connection."""

from __future__ import annotations

from typing import Any, BinaryIO, ClassVar

from worldtape.collectors.importers._ours import MEMBER
from worldtape.pipelines.exporting import _frames
from worldtape.pipelines.exporting import _ours as ours
from worldtape.pipelines.exporting._times import iso
from worldtape.pipelines.importing._encode import ascii_json
from worldtape.schemas import Domain, Episode


class McpCassette:
    """Writes the frames that the tape holds; where there are none, calls and answers of the transitions as frames."""

    name: ClassVar[str] = "mcp-cassette"
    title: ClassVar[str] = "MCP cassettes"
    version: ClassVar[str] = "3"
    domains: ClassVar[tuple[Domain, ...]] = (Domain.MCP,)
    suffix: ClassVar[str] = ".json"
    lines: ClassVar[bool] = False
    loses: ClassVar[tuple[str, ...]] = ours.LOSES

    def unfit(self, episode: Episode) -> str | None:
        """Refuse what asked no server anything."""
        if not episode.transitions:
            return "no transition"
        return None if any(row["action_name"] for row in episode.transitions) else "no call"

    def write(self, episode: Episode, out: BinaryIO) -> int:
        """Write the head, then a line for each message; actions that were never sent stand in none."""
        frames = _frames.of(episode)
        server, protocol = _frames.greeting(frames)
        head = {
            "format_version": 3,
            "recorded_at": iso(episode.trajectory["started_at"] or 0),
            "transport": "http" if episode.trajectory["backend"] in ("http", "sse", "streamable-http") else "stdio",
            "protocol_version": protocol,
            "server_info": server,
            "redaction": None,
            MEMBER: ours.head(episode.trajectory),
        }
        lines = [ascii_json(_message(number, frame)) for number, frame in enumerate(frames)]
        out.write(ascii_json(head)[:-1] + b',"messages":[\n' + b",\n".join(lines) + b"\n]}\n")
        return sum(frame.beside is not None for frame in frames)


def _message(number: int, frame: _frames.Frame) -> dict[str, Any]:
    method, told = frame.field("method"), frame.field("id")
    message = {
        "seq": number,
        "t_offset_ms": frame.at_us // 1000,
        "sender": frame.sender,
        "kind": frame.kind,
        "method": method if isinstance(method, str) else None,
        "msg_id": told if isinstance(told, (str, int)) and not isinstance(told, bool) else None,
        "payload": frame.payload,
        "redacted": False,
    }
    return message if frame.beside is None else message | {MEMBER: frame.beside}
