"""An environment of your own, recorded: an SQLite database that answers tool calls (see docs/collectors.md)."""

import asyncio
import json
import sqlite3
import sys
import time
from typing import Self

import worldtape.schemas as wt
from worldtape.collectors.newest import Newest, message
from worldtape.pipelines.record import open_recorder

SQL = wt.Tool(name="sql", input_schema='{"properties":{"query":{"type":"string"}},"type":"object"}')


class Database:
    domain = "mcp"  # of the seven domains the one of tool calls

    def __init__(self) -> None:
        self.spec = wt.EnvironmentSpec(kind="sqlite", versions={"sqlite": sqlite3.sqlite_version}, tools=(SQL,))
        self.screen, self.received = Newest(), 0

    async def __aenter__(self) -> Self:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.db.close()

    async def reset(self, sink: wt.Sink) -> wt.Ready:
        state = wt.InitialState(text=f"SQLite {sqlite3.sqlite_version}, an empty database", probes=await self.probe())
        return wt.Ready(environment=self.spec, initial_state=state, observation=self.observe("", sink))

    async def step(self, action: wt.Action, sink: wt.Sink) -> wt.StepResult:
        started, mono = time.time_ns() // 1000, time.monotonic_ns()
        status, text, error = self.answer(action)
        seen, took = self.observe(text, sink), time.monotonic_ns() - mono
        return wt.StepResult(
            observation=seen,
            outcome=wt.Outcome(status=status, error=error),
            timing=wt.Timing(started_at=started, ended_at=started + took // 1000, duration_ms=took / 1e6),
            state_after=await self.probe(),
        )

    def answer(self, action: wt.Action) -> tuple[wt.Status, str, wt.ErrorInfo | None]:
        if action.name != "sql" or action.arguments is None:
            return wt.Status.REJECTED, f"no tool is called {action.name}", wt.ErrorInfo(type="invalid_action")
        try:
            rows = self.db.execute(json.loads(action.arguments)["query"]).fetchmany(100)
        except (sqlite3.Error, sqlite3.Warning) as error:  # the engine's own words are an answer like any other
            return wt.Status.TOOL_ERROR, f"Error: {error}", wt.ErrorInfo(type=type(error).__name__, message=str(error))
        return wt.Status.OK, "\n".join("|".join(map(str, row)) for row in rows), None

    def observe(self, text: str, sink: wt.Sink) -> wt.Observation:
        data = message(text)
        sink("text", data, time.monotonic_ns())  # the tape first, then the renderer: a projection repeats it from there
        self.screen.feed("text", data)
        self.received += len(data)
        received = {"text": self.received}
        return wt.Observation(text=self.screen.render(), renderer=self.screen.rendering, received=received)

    async def probe(self) -> dict[str, object]:
        return {"tables": [name for (name,) in self.db.execute("SELECT name FROM sqlite_schema ORDER BY name")]}

    def parse(self, query: str) -> wt.Action | None:
        arguments = {"query": query}
        text = wt.canonical_json({"name": "sql", "arguments": arguments})
        return wt.Action(kind="tool_call", text=text, name="sql", arguments=wt.canonical_json(arguments))


async def main(lake: str, *queries: str) -> None:
    async with open_recorder(Database(), lake) as recorder:
        for query in queries or ("CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2)", "SELECT sum(a) FROM t", "oops"):
            print((await recorder.step(query)).text)


if __name__ == "__main__":
    asyncio.run(main(*(sys.argv[1:] or ["own-environment-lake"])))
