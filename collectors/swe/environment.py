"""A real repository in a container that answers tool calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from worldtape.collectors.mcp.actions import parse_call, request_of
from worldtape.collectors.swe._kept import Kept
from worldtape.collectors.swe.box import Box, Ran
from worldtape.collectors.swe.config import SweConfig
from worldtape.collectors.swe.facts import repository_facts
from worldtape.collectors.swe.initial import initial_text, versions_of
from worldtape.collectors.swe.probe import Look, look
from worldtape.collectors.swe.repository import commits_of, lay, set_up
from worldtape.collectors.swe.results import read_results
from worldtape.collectors.swe.snapshots import Snapshots
from worldtape.collectors.swe.sources import Origin, fetch
from worldtape.collectors.swe.tools import make_toolset
from worldtape.collectors.swe.toolset import Answer, Toolset
from worldtape.errors import ComponentError, ConfigError, InputError, boundary
from worldtape.schemas import (
    Action,
    EnvironmentSpec,
    ErrorInfo,
    InitialState,
    Lossiness,
    Outcome,
    Ready,
    Sink,
    Status,
    StepResult,
    Timing,
)

_SHORTEST_S = 0.001
_KIND = "tool_call"


class Swe:
    """An `Environment` of the domain `swe`; see `SweConfig` for its settings.

    Actions are of kind `tool_call` (`parse` reads `{"name": …, "arguments": {…}}`); an observation is the tool's text.
    The state after each step: `head`, `branch`, `tree` (git's hash of the whole working copy), `dirty`, `staged`,
    `untracked`, `diff` (hash of the patch, whose bytes are the channel `git.diff`), `changed`, what the tools remember
    (`cwd`, `todos`), and `tests`, what tests the step ran (null: none).

    Attributes:
        until: no command runs longer than to this moment (monotonic s); None: no such moment.
        box: the container, for who looks into it out of band.
    """

    domain = "swe"
    action_kinds = frozenset({_KIND})

    def __init__(self, config: SweConfig) -> None:
        self.config = config
        self.spec: EnvironmentSpec = config.spec()
        self.until: float | None = None
        self.box = Box(config.sandbox(), workdir=config.workdir)
        self._snapshots = Snapshots(self.box)
        self._origin: Origin | None = None
        self._tools: Toolset | None = None
        self._kept: Kept | None = None
        self._seen: Look | None = None

    async def __aenter__(self) -> Self:
        named = self.config.repository is not None or self.config.package is not None
        self._origin = await asyncio.to_thread(fetch, self.config) if named else None
        await self.box.__aenter__()
        try:
            if self._origin is not None:
                with boundary(self.config.workdir):
                    await lay(self.box, self._origin)
                    await set_up(self.box, self.config.setup, timeout_s=self.config.setup_seconds)
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tools = None
        await self.box.close()

    async def reset(self, sink: Sink) -> Ready:
        """Take a snapshot, and say what was found; nothing has been called yet, so the observation is "".

        Raises:
            ConfigError: no repository is named.
            ComponentError: the container is gone, or holds no git.
        """
        if self._origin is None:
            raise ConfigError("no repository is named", where="environment", fix="give a repository or a package")
        tools = make_toolset(self.config.family, self.box, timeout_s=self.config.timeout_s)
        self._tools, self._kept = tools, Kept(tools.renderer, sink)
        self._seen = seen = await look(self.box)
        snapshot = await self._snapshots.take(seen)
        versions = await versions_of(self.box)
        commits, listed = await commits_of(self.box), await self.box.list()
        return Ready(
            environment=self._found(self._origin, tools, versions),
            initial_state=InitialState(
                text=initial_text(self.config, versions, seen, commits, listed),
                probes=None if seen is None else seen.state() | {"snapshot": snapshot},
            ),
            observation=self._kept.observe(),
        )

    async def step(self, action: Action, sink: Sink) -> StepResult:
        """Carry out one call; one that is no call is `rejected`, and nothing is done."""
        kept = self._started[1]
        kept.begin(sink)
        started, mono = time.time_ns() // 1000, time.monotonic_ns()
        state, gone, patch = None, False, (b"", 0)
        try:
            answer = await self._call(action)
            outcome, ended = answer.outcome, time.monotonic_ns()
            seen, before = await look(self.box), self._seen
            if seen is not None:
                state = seen.state() | self._started[0].state
                state |= {"changed": seen.differs(before), "tests": self._tests(answer.commands)}
                patch, self._seen = (seen.diff, seen.diff_bytes), seen
                kept.diff(seen.diff)
        except ComponentError as error:
            gone, ended = True, time.monotonic_ns()
            outcome = Outcome(status=Status.INFRA_ERROR, error=ErrorInfo(type="container_gone", message=str(error)))
        return StepResult(
            observation=kept.observe(*patch),
            outcome=outcome,
            timing=Timing(
                started_at=started,
                first_output_at=None if kept.first_ns is None else started + (kept.first_ns - mono) // 1000,
                ended_at=started + (ended - mono) // 1000,
                duration_ms=(ended - mono) / 1e6,
            ),
            state_after=state,
            done=gone,
            lossiness=() if state is not None or gone else (Lossiness.NO_PROBES,),
        )

    async def probe(self) -> dict[str, Any] | None:
        """Return the state as it is now; null where git or the container cannot be asked."""
        try:
            seen = await look(self.box)
        except ComponentError:
            return None
        return None if seen is None else seen.state()

    async def snapshot(self) -> str:
        """Keep the repository as it is now; return the snapshot's id. One is taken at each reset.

        Raises:
            ComponentError: git cannot be asked, or the container is gone.
        """
        return await self._snapshots.take()

    async def restore(self, snapshot: str) -> None:
        """Bring the repository back to a snapshot: the same files, index and history, so the same `tree`.

        Raises:
            NotFoundError: there is no such snapshot.
            ComponentError: the container is gone.
        """
        await self._snapshots.restore(snapshot)
        self._seen = await look(self.box)

    async def facts(self, *, tests: bool = False) -> dict[str, Any]:
        """Return what verifiers look at: the state, `files` (path to text) and, where asked for, `tests`.

        For `tests` the test command is run now, out of band; null where there is none.

        Raises:
            ComponentError: the container is gone.
        """
        with boundary(self.config.workdir):
            found = await repository_facts(self.box)
        if not tests:
            return found
        command = self.config.tests
        if command is None:
            return found | {"tests": None}
        ran = await self.box.run(command, timeout_s=self.config.timeout_s)
        return found | {"tests": read_results(command, ran, command)}

    def parse(self, given: Any) -> Action | None:
        """Return the call that `given` (text or mapping with `name` and `arguments`) asks for; None for ""."""
        return parse_call(given)

    @property
    def _started(self) -> tuple[Toolset, Kept]:
        if self._tools is None or self._kept is None:
            raise ComponentError("the repository was not started", fix="use it with `async with`, and reset it")
        return self._tools, self._kept

    async def _call(self, action: Action) -> Answer:
        tools, kept = self._started
        limit = None if self.until is None else max(_SHORTEST_S, self.until - time.monotonic())
        limit = action.timeout_s if limit is None else min(limit, action.timeout_s or limit)
        try:
            name, arguments = _call_of(action)
        except InputError as error:
            await tools.call(action.name or "", {}, kept.keep, limit)
            rejected = ErrorInfo(type="invalid_action", message=str(error))
            return Answer(Outcome(status=Status.REJECTED, error=rejected))
        return await tools.call(name, arguments, kept.keep, limit)

    def _tests(self, commands: Sequence[tuple[str, Ran]]) -> dict[str, Any] | None:
        """Return what tests a step ran: those of its last command that ran any."""
        known = self.config.tests
        found = [read for command, ran in commands if (read := read_results(command, ran, known)) is not None]
        return found[-1] if found else None

    def _found(self, origin: Origin, tools: Toolset, versions: dict[str, str]) -> EnvironmentSpec:
        box = self.box.spec
        source = {"title": origin.title, "sha256": origin.sha256, "commit": origin.commit, "branch": origin.branch}
        return self.spec.model_copy(
            update={
                "image": box.image,
                "image_digest": box.image_digest,
                "versions": box.versions | versions,
                "tools": tools.tools,
                "parameters": self.spec.parameters | box.parameters | {"source": source},
            }
        )


def _call_of(action: Action) -> tuple[str, dict[str, Any]]:
    """Return name and arguments of a call.

    Raises:
        InputError: it is none.
    """
    if action.kind != _KIND:
        raise InputError(f"a repository takes no {action.kind}", fix=f"use {_KIND}")
    params = request_of(action)[1]
    return params["name"], params["arguments"]


__all__ = ["Swe"]
