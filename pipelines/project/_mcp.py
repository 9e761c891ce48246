"""Tapes of MCP connections: what their frames say, beside what the recorder wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worldtape.collectors.mcp._json import Lines, messages
from worldtape.collectors.mcp._tools import Offers
from worldtape.collectors.mcp.proxy.pairs import Pairs
from worldtape.collectors.mcp.render.result import IN, OUT
from worldtape.schemas import Domain, EventKind
from worldtape.storage import Event, TapeReader

PROXY = "mcp-proxy"
"""What `recorder.collector` says in the header of a proxy's tape."""
_GAPS = frozenset({"overrun", "write_failed"})


class McpReader:
    """A tape whose events are read with those that follow from its frames.

    A proxy writes bytes only: its actions, observations and results are paired here. A client's tape says what was
    offered at its start: tools that were declared later are added, and `tool_changes` tells when.
    """

    def __init__(self, reader: TapeReader) -> None:
        self._reader = reader
        self.header = reader.header

    def payload(self, event: Event) -> bytes:
        """Return the bytes of a `data` event."""
        return self._reader.payload(event)

    def events(self, *, lenient: bool = False, remarks: bool = True) -> Iterator[Event]:
        """Give the events, derived ones right after those they follow from; a proxy's notices with their data."""
        proxied = (self.header.get("recorder") or {}).get("collector") == PROXY
        given = self._reader.events(lenient=lenient, remarks=remarks or proxied)
        found = self._paired(given) if proxied else self._with_tools(given)
        return (event._replace(seq=number) for number, event in enumerate(found))

    def _paired(self, events: Iterator[Event]) -> Iterator[Event]:
        pairs = Pairs(self.header["environment"])
        last: Event | None = None
        for event in events:
            if event.kind == EventKind.END:
                yield _made(event, pairs.ready())
                last = None
            else:
                last = event
            yield event
            if event.kind == EventKind.HEADER:
                yield _made(event, pairs.first())
            elif event.kind == EventKind.DATA:
                channel = event.data["channel"]
                if channel in (IN, OUT):
                    for one in pairs.take(channel, self.payload(event), event.wall_us, event.mono_ns):
                        yield _made(event, one)
            elif event.kind == EventKind.NOTICE:
                yield from self._noticed(pairs, event)
        if last is not None:
            yield _made(last, pairs.ready())

    def _noticed(self, pairs: Pairs, event: Event) -> Iterator[Event]:
        code = event.data.get("code")
        if code in _GAPS:
            pairs.gap()
        elif code == "server_exit":
            number = event.data.get("signal")
            status = event.data.get("exit_code") if number is None else -number
            for one in pairs.server_exit(status):
                yield _made(event, one)

    def _with_tools(self, events: Iterator[Event]) -> Iterator[Event]:
        offers, lines, steps = Offers(), {OUT: Lines(), IN: Lines()}, 0
        ready: Event | None = None
        for event in events:
            if event.kind == EventKind.END and ready is not None and offers.changes:
                yield ready._replace(data=_amended(ready.data, offers))
                ready = None
            yield event
            if event.kind == EventKind.READY:
                ready = event
            elif event.kind == EventKind.ACTION:
                steps += 1
            elif event.kind == EventKind.DATA and event.data["channel"] in lines:
                self._learn(event, offers, lines[event.data["channel"]], steps)
        if ready is not None and offers.changes:
            yield ready._replace(data=_amended(ready.data, offers))

    def _learn(self, event: Event, offers: Offers, lines: Lines, steps: int) -> None:
        out = event.data["channel"] == OUT
        if not out and not offers.waits:
            lines.feed(b"\n")  # nobody listens: whatever began here is no answer to what is asked later
            return
        for line in lines.feed(self.payload(event)):
            if out and not any(word in line for word in (b'"tools/list"', b'"initialize"', b'"server/discover"')):
                continue
            for message in messages(line):
                if out:
                    offers.sent(message)
                else:
                    offers.came(message, steps)


def _amended(ready: Mapping[str, Any], offers: Offers) -> dict[str, Any]:
    tools = [tool.to_dict() for tool in offers.ever.values()]
    return {**ready, "environment": {**ready["environment"], "tools": tools}, "tool_changes": offers.changes}


def _made(event: Event, derived: tuple[EventKind, int | None, dict[str, Any]]) -> Event:
    kind, step, data = derived
    return Event(event.seq, kind, event.wall_us, event.mono_ns, step, data)


def understood(reader: TapeReader) -> TapeReader:
    """Return a reader that gives what follows from the frames too, where the tape holds frames."""
    if reader.header.get("domain") != Domain.MCP:
        return reader
    wrapped: Any = McpReader(reader)
    return wrapped  # type: ignore[no-any-return]
