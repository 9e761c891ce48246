"""A search engine, a page extractor and a memory that answer tool calls."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from worldtape.collectors.mcp._json import clean
from worldtape.collectors.mcp.actions import parse_call
from worldtape.collectors.search._web import Web
from worldtape.collectors.search._wire import Wire
from worldtape.collectors.search.answers import Body, Fault, Introduced, Page
from worldtape.collectors.search.config import SearchConfig
from worldtape.collectors.search.extract import extract
from worldtape.collectors.search.memory import Memory
from worldtape.collectors.search.providers import Pages, Provider, make_provider
from worldtape.collectors.search.tools import declared, fault_of
from worldtape.errors import ComponentError, need
from worldtape.schemas import (
    Action,
    EnvironmentSpec,
    ErrorInfo,
    InitialState,
    Outcome,
    Ready,
    SettledBy,
    Sink,
    Status,
    StepResult,
    Timing,
)

_Told = tuple[dict[str, Any], Outcome]
"""An answer as the tape keeps it, and how the call ended."""


class Search:
    """An `Environment` of the domain `search`; see `SearchConfig` for its settings.

    Actions are calls (`tool_call`) of `web_search`, `web_extractor` and `dict_memory`. An observation is the answer as
    text (renderer `search.results`); the raw bodies it was made from stand on the tape before it.

    Attributes:
        until: no call is waited for longer than to this moment (monotonic s); None: no such moment.
    """

    domain = "search"
    action_kinds = frozenset({"tool_call"})

    def __init__(self, config: SearchConfig | None = None) -> None:
        self.config = config or SearchConfig()
        self.spec: EnvironmentSpec = self.config.spec().model_copy(update={"tools": declared(self.config.tools)})
        self.until: float | None = None
        self._begin()
        self._web = Web(self.config.web, guarded=True)
        engine: Any = make_provider(self.config)
        self._provider: Provider = engine
        self._pages: Pages = engine if self.config.own_pages else self._web
        self._running = False

    async def __aenter__(self) -> Self:
        self._begin()
        try:
            if "web_extractor" in self.config.tools:
                await asyncio.to_thread(need, "trafilatura", extra="search")
            await self._provider.start()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        self._running = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running = False
        try:
            await self._provider.close()
        finally:
            await self._web.close()

    async def reset(self, sink: Sink) -> Ready:
        """Let the engine say what it is; the first observation is empty."""
        self._wire.attach(sink)
        self._engine = await self._provider.introduce(self._wire)
        found = self.spec.model_copy(update={"versions": self._engine.versions})
        state = InitialState(text=self._introduction(), probes=await self.probe())
        return Ready(environment=found, initial_state=state, observation=self._wire.observe(SettledBy.EVENT))

    async def step(self, action: Action, sink: Sink) -> StepResult:
        """Carry out a call; one that is none of ours, or whose arguments do not fit, is `rejected`."""
        if not self._running:
            raise ComponentError("the engine was not started", fix="use the environment with `async with`")
        started, mono = time.time_ns() // 1000, time.monotonic_ns()
        self._wire.attach(sink)
        name, arguments, fault = _read(action, self.config.tools)
        answer, outcome = _failed(fault) if fault is not None else await self._answer(name, arguments, action)
        self._wire.answer({"tool": name} | answer)
        late = outcome.status is Status.TIMEOUT_KILLED
        seen = self._wire.observe(SettledBy.DEADLINE if late else SettledBy.EVENT)
        took = time.monotonic_ns() - mono
        first = self._wire.first_ns
        return StepResult(
            observation=seen,
            outcome=outcome,
            timing=Timing(
                started_at=started,
                first_output_at=None if first is None else started + (first - mono) // 1000,
                ended_at=started + took // 1000,
                duration_ms=took / 1e6,
            ),
            state_after=await self.probe(),
            done=self._gone,
        )

    async def probe(self) -> dict[str, Any] | None:
        """Return the memory's keys, and how much was searched, found and read."""
        counts = {"queries": len(self._asked), "found": len(self._found), "visited": len(self._visited)}
        return counts | self._memory.probes() | self._engine.probes

    async def facts(self) -> dict[str, Any]:
        """Return the state that verifiers look at: `memory`, `queries`, `found` and `visited` addresses."""
        return {
            "memory": dict(self._memory.entries),
            "queries": list(self._asked),
            "found": list(self._found),
            "visited": list(self._visited),
        }

    def parse(self, given: Any) -> Action | None:
        """Return the call that `given` (text or mapping with `name` and `arguments`) asks for; None for ""."""
        return parse_call(given)

    def _begin(self) -> None:
        self._wire = Wire(self.config.page_chars)
        self._memory = Memory(self.config.memory)
        self._engine = Introduced(text="")
        self._asked: list[str] = []
        self._found: dict[str, None] = {}
        self._visited: dict[str, None] = {}
        self._gone = False

    def _introduction(self) -> str:
        known = f"Memory: {', '.join(self._memory.entries) or 'empty'}"
        return f"{self._engine.text}\n{known}" if "dict_memory" in self.config.tools else self._engine.text

    async def _answer(self, name: str, arguments: Mapping[str, Any], action: Action) -> _Told:
        limit = action.timeout_s or self.config.timeout_s
        ends = time.monotonic() + limit
        ends = ends if self.until is None else min(ends, self.until)
        if name == "web_search":
            return await self._search([clean(query) for query in arguments["queries"]], ends)
        if name == "web_extractor":
            return await self._read(clean(arguments["url"]).strip(), arguments.get("goal"), ends)
        text, kind = self._memory.apply(**{key: clean(value) for key, value in arguments.items()})
        if kind is None:
            return {"text": text}, Outcome(status=Status.OK)
        error = ErrorInfo(type=kind, message=text.removeprefix("Error: "))
        return {"text": text}, Outcome(status=Status.TOOL_ERROR, error=error)

    async def _search(self, queries: list[str], ends: float) -> _Told:
        """Ask query by query; the call is `ok` where one was answered."""
        searches: list[dict[str, Any]] = []
        faults: list[Fault] = []
        for query in queries:
            self._asked.append(query)
            left = max(0.001, ends - time.monotonic())
            got = await self._provider.search(query, self.config.results, self._wire, left)
            if isinstance(got, Fault):
                faults.append(got)
                searches.append({"query": query, "error": self._wire.masked(got.message)})
                self._gone = self._gone or got.final
                continue
            self._found |= dict.fromkeys(hit.url for hit in got.hits if hit.url)
            results = [hit.fields() for hit in got.hits]
            searches.append({"query": query} | ({"results": results} if got.text is None else {"text": got.text}))
        if len(faults) == len(queries):
            return {"searches": searches}, faults[-1].outcome
        told = None if not faults else ErrorInfo(type="partial_failure", message=faults[0].message)
        return {"searches": searches}, Outcome(status=Status.OK, error=told)

    async def _read(self, url: str, goal: str | None, ends: float) -> _Told:
        limit = max(0.001, ends - time.monotonic())
        got = await self._pages.page(url, goal, self._wire, limit)
        if isinstance(got, Body):
            got = await _extracted(got, max(0.001, ends - time.monotonic()))
        if isinstance(got, Fault):
            self._gone = self._gone or got.final
            return _failed(got)
        self._visited[url] = None
        return _page(got), Outcome(status=Status.OK)


def _read(action: Action, tools: tuple[str, ...]) -> tuple[str, dict[str, Any], Fault | None]:
    """Return name and arguments of a call, and what is wrong with it."""
    name = action.name or ""
    if action.kind != "tool_call" or not name:
        message = 'the call is no JSON of the form {"name": ..., "arguments": {...}}'
        return name, {}, Fault(Status.REJECTED, "invalid_action", message)
    if name not in tools:
        return name, {}, Fault(Status.REJECTED, "unknown_tool", f"unknown tool '{name}'")
    try:
        arguments = json.loads(action.arguments or "{}")
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        return name, {}, Fault(Status.REJECTED, "invalid_arguments", "the arguments are no JSON object")
    wrong = fault_of(name, arguments)
    return name, arguments, None if wrong is None else Fault(Status.REJECTED, "invalid_arguments", wrong)


async def _extracted(body: Body, limit_s: float) -> Page | Fault:
    try:
        async with asyncio.timeout(limit_s):
            return await asyncio.to_thread(extract, body)
    except TimeoutError:
        return Fault(Status.TIMEOUT_KILLED, "timeout", f"{body.url} could not be read in time")


def _failed(fault: Fault) -> _Told:
    return {"error": fault.message, "type": fault.type}, fault.outcome


def _page(page: Page) -> dict[str, Any]:
    known = {"url": page.url, "title": page.title, "date": page.date, "extractor": page.extractor}
    return {"markdown": page.markdown} | {name: value for name, value in known.items() if value is not None}


__all__ = ["Search"]
