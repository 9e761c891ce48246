"""Calls and answers of one connection, paired: what a proxy's tape does not say itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from worldtape.collectors.mcp._json import Lines, id_key, messages
from worldtape.collectors.mcp._tools import Offers, tools_hash
from worldtape.collectors.mcp._wire import parts_of
from worldtape.collectors.mcp.actions import action_of
from worldtape.collectors.mcp.outcomes import died, outcome_of
from worldtape.collectors.mcp.render.result import ACTIONS, IN, OUT, McpResult, answered, cancelled
from worldtape.schemas import (
    Action,
    Batch,
    EnvironmentSpec,
    ErrorInfo,
    EventKind,
    InitialState,
    Lossiness,
    Observation,
    Outcome,
    Ready,
    SettledBy,
    Status,
    StepResult,
    Timing,
)

Derived = tuple[EventKind, int | None, dict[str, Any]]
"""An event that follows from others: its kind, step and data."""
_LOSSES = (Lossiness.NO_ENV_IMAGE,)


@dataclass(slots=True)
class _Call:
    step: int
    wall_us: int
    mono_ns: int
    doubtful: bool = False
    shared: bool = False


class Pairs:
    """Takes the bytes of a proxy's tape in order and gives the events of a recorder: actions, observations, results.

    A `tools/call`, `resources/read` or `prompts/get` of the client is an action. Its answer is the first frame of the
    server with its id and no method. Everything else (notifications, progress, requests of the server and the client's
    answers to them, lines that are no JSON, late and second answers) stands on the tape and is nobody's observation:

    - a call that the client cancels is `interrupted`, whatever comes later;
    - two open calls with one id cannot be told apart: both are `unknown`;
    - a call without an answer is `env_error` where the server ended, and has no result where the recording did;
    - calls and answers of a JSON-RPC batch are marked; answers of one batch are one observation.

    Args:
        spec: the environment as the header names it.
    """

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._spec = EnvironmentSpec.model_validate(spec)
        self._offers = Offers()
        self._lines = {OUT: Lines(), IN: Lines()}
        self._received: Counter[str] = Counter()
        self._open: dict[str, _Call] = {}
        self._steps = 0
        self._skip: set[str] = set()

    def take(self, channel: str, data: bytes, wall_us: int, mono_ns: int) -> Iterator[Derived]:
        """Take bytes of the tape."""
        lines = self._lines.get(channel)
        if lines is None:
            return
        for line in lines.feed(data):
            self._received[channel] += len(line)
            if channel in self._skip:
                self._skip.discard(channel)  # the rest of a line whose start is missing
                continue
            found = messages(line)
            if channel == OUT:
                yield from self._client(found, wall_us, mono_ns)
            else:
                yield from self._server(found, wall_us, mono_ns)

    def gap(self) -> None:
        """Bytes are missing here: what began before and ends after is no frame."""
        for channel, lines in self._lines.items():
            self._received[channel] += len(lines.rest())
            self._skip.add(channel)

    def server_exit(self, status: int | None) -> Iterator[Derived]:
        """The server ended: who still waits for an answer never gets one."""
        for call in self._open.values():
            yield self._result(call, died(status, ""), None, None)
        self._open.clear()

    def first(self) -> Derived:
        """Return the initial observation: nothing was said yet."""
        seen = Observation(text="", renderer=McpResult().rendering, settled_by=SettledBy.EVENT)
        return EventKind.CAPTURED, None, seen.model_dump(mode="json", exclude={"text"})

    def ready(self) -> Derived:
        """Return what was found, as far as the frames up to here tell it."""
        facts, tools = self._offers.facts, tuple(self._offers.ever.values())
        versions = {str(facts["server"]): str(facts.get("server_version"))} if facts.get("server") else {}
        if facts.get("protocol"):
            versions["mcp"] = str(facts["protocol"])
        if facts.get("client"):
            versions["client"] = facts["client"]
        spec = self._spec.model_copy(update={"versions": self._spec.versions | versions, "tools": tools})
        losses = _LOSSES if tools else (*_LOSSES, Lossiness.NO_TOOL_SCHEMAS)
        blank = Observation(text="", renderer=McpResult().rendering)
        ready = Ready(
            environment=spec,
            initial_state=InitialState(text=introduction(facts, len(tools))),
            observation=blank,
            lossiness=losses,
        )
        data = ready.model_dump(mode="json", exclude={"observation"})
        return EventKind.READY, None, data | ({"tool_changes": self._offers.changes} if self._offers.changes else {})

    def _client(self, frame: list[dict[str, Any]], wall_us: int, mono_ns: int) -> Iterator[Derived]:
        calls = [message for message in frame if message.get("method") in ACTIONS and "id" in message]
        size = len(calls)
        for message in frame:
            self._offers.sent(message)
            key = id_key(message.get("id"))
            if message.get("method") == "notifications/cancelled":
                call = self._open.pop(cancelled(message) or "", None)
                if call is not None:
                    yield self._result(call, Outcome(status=Status.INTERRUPTED), wall_us, mono_ns)
            elif key is not None and message.get("method") in ACTIONS:
                batch = None
                if size > 1:
                    batch = Batch(id=f"rpc-{id_key(calls[0].get('id'))}", index=calls.index(message), size=size)
                yield from self._call(action_of(message, batch), key, wall_us, mono_ns)

    def _call(self, action: Action, key: str, wall_us: int, mono_ns: int) -> Iterator[Derived]:
        call = _Call(self._steps, wall_us, mono_ns)
        self._steps += 1
        yield EventKind.ACTION, call.step, action.to_dict()
        earlier = self._open.get(key)
        if earlier is not None:
            call.doubtful = True
            if not earlier.doubtful:
                yield self._doubt(earlier)
            yield self._doubt(call)
        self._open[key] = call

    def _doubt(self, call: _Call) -> Derived:
        error = ErrorInfo(type="ambiguous_id", message="two open calls have the same id")
        return self._result(call, Outcome(status=Status.UNKNOWN, error=error), None, None)

    def _server(self, frame: list[dict[str, Any]], wall_us: int, mono_ns: int) -> Iterator[Derived]:
        found: list[tuple[_Call, dict[str, Any]]] = []
        for message in frame:
            self._offers.came(message, self._steps)
            key = answered(message)
            call = self._open.get(key or "")
            if call is None or call.doubtful:
                continue
            del self._open[key or ""]
            found.append((call, message))
        parts = tuple(part for _, message in found for part in parts_of(message))
        seen = Observation(
            text="",
            renderer=McpResult().rendering,
            parts=parts,
            settled_by=SettledBy.EVENT,
            received=dict(self._received),
        )
        for call, message in found:
            call.shared = len(found) > 1
            yield EventKind.CAPTURED, call.step, seen.model_dump(mode="json", exclude={"text"})
            yield self._result(call, outcome_of(message), wall_us, mono_ns)

    def _result(self, call: _Call, outcome: Outcome, wall_us: int | None, mono_ns: int | None) -> Derived:
        took = None if mono_ns is None else max(0, mono_ns - call.mono_ns) / 1e6
        blank = Observation(text="", renderer=McpResult().rendering)
        result = StepResult(
            observation=blank,
            outcome=outcome,
            timing=Timing(started_at=call.wall_us, first_output_at=None, ended_at=wall_us, duration_ms=took),
            state_after=self._state(),
            lossiness=(Lossiness.OBS_SHARED_BY_BATCH,) if call.shared else (),
        )
        return EventKind.RESULT, call.step, result.model_dump(mode="json", exclude={"observation"})

    def _state(self) -> dict[str, Any]:
        tools = tuple(self._offers.tools.values())
        facts = {name: self._offers.facts.get(name) for name in ("server", "server_version", "protocol")}
        return facts | {"tools": len(tools), "tools_hash": tools_hash(tools)}


def introduction(facts: Mapping[str, Any], tools: int) -> str:
    """Return what a policy is told of a server before the first call."""
    name = f"{facts['server']} {facts.get('server_version')}" if facts.get("server") else "without a name"
    lines = [f"MCP server: {name} (protocol {facts.get('protocol') or 'unknown'})", f"Tools: {tools}"]
    if facts.get("instructions"):
        lines += ["Instructions:", str(facts["instructions"])]
    return "\n".join(lines)


__all__ = ["Derived", "Pairs", "introduction"]
