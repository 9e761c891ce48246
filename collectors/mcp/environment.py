"""A real MCP server that answers calls with its results."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from worldtape.collectors.mcp._answers import callbacks
from worldtape.collectors.mcp._http import Http
from worldtape.collectors.mcp._link import Link, Transport
from worldtape.collectors.mcp._probes import folder_state
from worldtape.collectors.mcp._secrets import address
from worldtape.collectors.mcp._stdio import Stdio
from worldtape.collectors.mcp._tools import tools_hash
from worldtape.collectors.mcp._wire import Wire
from worldtape.collectors.mcp.actions import KINDS, parse_call, request_of
from worldtape.collectors.mcp.config import McpConfig
from worldtape.collectors.mcp.outcomes import died, outcome_of, timed_out
from worldtape.collectors.processes import Workdir
from worldtape.errors import ComponentError, InputError, boundary
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
    Tool,
)

_GONE = -32000
"""What the SDK itself says where the connection is over."""


class Mcp:
    """An `Environment` of the domain `mcp`; see `McpConfig` for its settings.

    Actions are `tool_call`, `resource_read` and `prompt_get` (`worldtape.collectors.mcp` makes them). An observation is
    the answer as the server gave it (renderer `mcp.result`).

    Attributes:
        until: no call is waited for longer than to this moment (monotonic s); None: no such moment.
        tools: what the server offers now.
    """

    domain = "mcp"
    action_kinds = KINDS

    def __init__(self, config: McpConfig) -> None:
        self.config = config
        self.spec: EnvironmentSpec = config.spec()
        self.until: float | None = None
        self._held: Workdir | None = None
        self.tools: tuple[Tool, ...] = ()
        self._facts: dict[str, Any] = {}
        self._wire = Wire()
        self._link: Link | None = None

    async def __aenter__(self) -> Self:
        self._wire = Wire()
        try:
            if self.config.url is None:
                self._held = Workdir()
                _lay(self._held.path, self.config.files)
            transport = self._transport()
            self._link = Link(transport, callbacks(self.config, self.workdir))
            await transport.start()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        link, self._link = self._link, None
        held, self._held = self._held, None
        self._wire.detach()
        try:
            if link is not None:
                await link.close()
        finally:
            if held is not None:
                held.remove()

    @property
    def workdir(self) -> str | None:
        """The folder made for the trajectory; None for a server that is reached by HTTP."""
        return None if self._held is None else self._held.path

    async def reset(self, sink: Sink) -> Ready:
        """Introduce ourselves and list the tools.

        Raises:
            ComponentError: the server is gone, refuses, or has not answered in time.
        """
        link = self._started
        self._wire.attach(sink)
        try:
            async with asyncio.timeout(self.config.start_s):
                await link.connect(self.config.protocol)
                await self._list()
        except TimeoutError as error:
            what = f"the server did not answer within {self.config.start_s:g} s"
            raise ComponentError(self._told(what), where=self._where, fix="raise start_s") from error
        except ComponentError:
            raise
        except Exception as error:
            await link.transport.settle()
            status = link.transport.status
            what = (
                f"the server exited with {status}"
                if status is not None
                else f"the server cannot be used: {_core(error)}"
            )
            raise ComponentError(self._told(what), where=self._where) from error
        self._facts |= _facts(link.session)
        probes = await self.probe()
        found = self.spec.model_copy(update={"versions": _versions(link.session), "tools": self.tools})
        return Ready(
            environment=found,
            initial_state=InitialState(text=_text(link.session, self.tools), probes=probes),
            observation=self._wire.observe(SettledBy.EVENT),
        )

    async def step(self, action: Action, sink: Sink) -> StepResult:
        """Send the request of `action` and wait for its answer; one that asks for nothing is `rejected`, unsent."""
        link, wire = self._started, self._wire
        started, mono = time.time_ns() // 1000, time.monotonic_ns()
        wire.attach(sink)
        wire.begin()
        settled = SettledBy.EVENT
        try:
            method, params = request_of(action)
        except InputError as error:
            wire.nothing_sent()
            outcome = Outcome(status=Status.REJECTED, error=ErrorInfo(type="invalid_action", message=str(error)))
        else:
            if link.transport.gone:
                wire.nothing_sent()
                outcome = died(link.transport.status, wire.last_err).model_copy(update={"status": Status.NOT_EXECUTED})
            else:
                outcome = await self._call(link, method, params, self._limit(action))
                settled = SettledBy.DEADLINE if outcome.status is Status.TIMEOUT_KILLED else SettledBy.EVENT
        seen = wire.observe(settled)
        took = time.monotonic_ns() - mono
        first = wire.first_ns
        return StepResult(
            observation=seen,
            outcome=outcome,
            timing=Timing(
                started_at=started,
                first_output_at=None if first is None else started + (first - mono) // 1000,
                ended_at=started + took // 1000,
                duration_ms=took / 1e6,
            ),
            state_after=await self._look(),
            done=link.transport.gone,
        )

    async def probe(self) -> dict[str, Any] | None:
        """Return what the server offers, and what lies in its folder."""
        state: dict[str, Any] = dict(self._facts)
        if self.workdir is not None and self.config.cwd is None:
            state["folder"] = folder_state(self.workdir)
        return state

    @property
    def pid(self) -> int | None:
        """The server's process; None where it runs elsewhere."""
        return None if self._link is None else self._link.transport.pid

    async def facts(self) -> dict[str, Any]:
        """Return what verifiers look at: `files` and `databases` of the server's folder, see `folder_facts`.

        Raises:
            ComponentError: the server has no folder of its own, or it cannot be read.
        """
        from worldtape.collectors.mcp.facts import folder_facts

        if self.workdir is None:
            raise ComponentError("of a server that is reached by HTTP nothing is known", where=self._where)
        with boundary(self.workdir):
            try:
                return await asyncio.to_thread(folder_facts, self.workdir)
            except sqlite3.Error as error:
                raise ComponentError(f"a database of the server cannot be read: {error}", where=self._where) from error

    def parse(self, given: Any) -> Action | None:
        """Return the call that `given` (text or mapping with `name` and `arguments`) asks for; None for ""."""
        return parse_call(given)

    @property
    def _started(self) -> Link:
        if self._link is None:
            raise ComponentError("the server was not started", fix="use the environment with `async with`")
        return self._link

    @property
    def _where(self) -> str:
        url = self.config.url
        return self.config.command or self.config.server or "mcp" if url is None else address(url)

    def _transport(self) -> Transport:
        config, workdir = self.config, self.workdir
        if config.url is not None:
            return Http(self._wire, config.url, config.http_headers())
        assert workdir is not None
        return Stdio(self._wire, config.argv(workdir), config.environment(workdir), config.cwd or workdir)

    def _limit(self, action: Action) -> float:
        limit = action.timeout_s or self.config.timeout_s
        return limit if self.until is None else max(0.001, min(limit, self.until - time.monotonic()))

    async def _call(self, link: Link, method: str, params: dict[str, Any], limit: float) -> Outcome:
        from mcp.shared.exceptions import MCPError

        code: int | None = None
        message, late = "", False
        try:
            await link.ask(method, params, limit, progress=self.config.progress)
        except TimeoutError:
            late = True
        except MCPError as error:
            code, message = error.code, error.message
        except (RuntimeError, ValueError) as error:  # the SDK's own judgement of a result; the result itself counts
            message = str(error)
        if self._wire.result.answers:
            return outcome_of(self._wire.result.answers[-1])
        if late:
            return timed_out(limit)
        if link.transport.gone or code == _GONE:
            await link.transport.settle()
            return died(link.transport.status, self._wire.last_err)
        refused = link.transport.refused
        if refused is not None:
            message = f"HTTP {refused}: {message}"
        kind = "transport" if refused is None else "http"
        told = ErrorInfo(type=kind, message=message or None, code=refused or code)
        return Outcome(status=Status.ENV_ERROR, error=told)

    async def _look(self) -> dict[str, Any] | None:
        """Probe; where the server said that its tools have changed, list them again first."""
        link = self._started
        if self._wire.stale and not link.transport.gone:
            with suppress(Exception):
                await self._list()
        return await self.probe()

    async def _list(self) -> None:
        self._wire.stale = False
        capabilities = self._started.session.server_capabilities
        if capabilities is not None and capabilities.tools is not None:
            self.tools = await self._started.tools()
        self._facts |= {"tools": len(self.tools), "tools_hash": tools_hash(self.tools)}

    def _told(self, what: str) -> str:
        return f"{what}: {self._wire.last_err}" if self._wire.last_err else what


def _core(error: BaseException) -> BaseException:
    """Return the first error of a group of groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _lay(folder: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _facts(session: Any) -> dict[str, Any]:
    info = session.server_info
    return {
        "server": None if info is None else info.name,
        "server_version": None if info is None else info.version,
        "protocol": session.protocol_version,
    }


def _versions(session: Any) -> dict[str, str]:
    from importlib.metadata import version

    info = session.server_info
    found = {"mcp": str(session.protocol_version), "mcp-sdk": version("mcp")}
    return found if info is None else {info.name: info.version} | found


def _text(session: Any, tools: tuple[Tool, ...]) -> str:
    """Return what a policy is told of the server before the first call."""
    info = session.server_info
    name = "an MCP server without a name" if info is None else f"{info.name} {info.version}"
    lines = [f"MCP server: {name} (protocol {session.protocol_version})", f"Tools: {len(tools)}"]
    if session.instructions:
        lines += ["Instructions:", str(session.instructions)]
    return "\n".join(lines)


__all__ = ["Mcp"]
