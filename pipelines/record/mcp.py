"""An MCP server, judged by what its folder holds in the end: files, and the tables of its databases."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from worldtape.collectors.mcp import Mcp, McpConfig
from worldtape.collectors.processes import reap
from worldtape.collectors.tasks import TaskFile, unmet
from worldtape.errors import ConfigError, WorldtapeError
from worldtape.pipelines.record.verdict import Verdict

if TYPE_CHECKING:
    from worldtape.collectors.policies import Script


class McpKind:
    """Follows `EnvironmentKind`."""

    Config = McpConfig
    action_kinds = Mcp.action_kinds

    def clean(self, config: McpConfig) -> None:  # noqa: ARG002
        """Remove the folders of servers whose recorder is gone; a guard has ended the servers with it."""
        reap()

    def make(self, config: McpConfig, task: TaskFile) -> Mcp:
        """Return the server as the task wants it."""
        return Mcp(task.begun(config))

    async def verify(self, environment: Mcp, task: TaskFile, *, timeout_s: float) -> Verdict:
        """Compare what the task expects with `facts()`; of a server that cannot be looked at nobody knows."""
        if task.verifier is None:
            return Verdict()
        if isinstance(task.verifier, str):
            fix = "write a mapping, as databases.orders.orders.ORD-2001.status: paid"
            raise ConfigError("the verifier of a server's task is no shell command", where=task.id, fix=fix)
        try:
            async with asyncio.timeout(timeout_s):
                missing = unmet(task.verifier, await environment.facts())
        except (WorldtapeError, TimeoutError) as error:
            return Verdict(seen={"error": str(error) or "the facts took too long to read"})
        return Verdict(0.0 if missing else 1.0, {"unmet": missing})

    @staticmethod
    def player(task: TaskFile) -> Script:
        """Return the policy that makes the calls of the task's solution, each `name` and `arguments`.

        The names `resources/read` and `prompts/get` stand for those requests.

        Raises:
            ConfigError: a step is no call.
        """
        from worldtape.collectors.mcp.actions import parse_call
        from worldtape.collectors.policies import Script

        calls = []
        for step in task.solution:
            call = parse_call(step) if isinstance(step, dict) and set(step) <= {"name", "arguments"} else None
            if call is None or call.name is None:
                fix = "write {name: get_order, arguments: {order_id: ORD-2001}}"
                raise ConfigError("a step of the solution is no call", where=f"task {task.id}", fix=fix)
            calls.append(call)
        return Script(calls)


__all__ = ["McpKind"]
