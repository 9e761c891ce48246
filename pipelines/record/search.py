"""A search engine, a page extractor and a memory, judged by what they hold in the end."""

from __future__ import annotations

from worldtape.collectors.mcp import tool_call
from worldtape.collectors.policies import Script
from worldtape.collectors.search import Search, SearchConfig
from worldtape.collectors.tasks import TaskFile, unmet
from worldtape.errors import ConfigError
from worldtape.pipelines.record.verdict import Verdict


class SearchKind:
    """Follows `EnvironmentKind`."""

    Config = SearchConfig
    action_kinds = Search.action_kinds

    def clean(self, config: SearchConfig) -> None:
        """Nothing outlives its recorder."""

    def make(self, config: SearchConfig, task: TaskFile) -> Search:
        """Return an engine as the task wants it; without a target query of its own, the instruction is the query."""
        return Search(task.begun(config))

    async def verify(self, environment: Search, task: TaskFile, *, timeout_s: float) -> Verdict:  # noqa: ARG002
        """Compare what the task expects with `facts()`: memory, queries, addresses found and visited."""
        if task.verifier is None:
            return Verdict()
        if isinstance(task.verifier, str):
            fix = "write a mapping, as memory.answer: '1897'"
            raise ConfigError("the verifier of a search task is no shell command", where=task.id, fix=fix)
        missing = unmet(task.verifier, await environment.facts())
        return Verdict(0.0 if missing else 1.0, {"unmet": missing})

    @staticmethod
    def player(task: TaskFile) -> Script:
        """Return the policy that makes the calls of the task's solution, each `name` and `arguments`.

        Raises:
            ConfigError: a step is no call.
        """
        calls = []
        for step in task.solution:
            if not isinstance(step, dict) or set(step) != {"name", "arguments"}:
                fix = "write {name: web_search, arguments: {queries: [...]}}"
                raise ConfigError("a step of the solution is no call", where=f"task {task.id}", fix=fix)
            calls.append(tool_call(str(step["name"]), step["arguments"]))
        return Script(calls)


__all__ = ["SearchKind"]
