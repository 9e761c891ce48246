"""Calls of tools that nobody declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from worldtape.filters._filter import Filter, Level
from worldtape.schemas import Domain

if TYPE_CHECKING:
    import polars as pl

_NAME = r'"name":"((?:[^"\\]|\\.)*)"'


class UndeclaredTool(Filter):
    """Rejects a trajectory with a call of a tool that its environment did not declare.

    Where no tools were declared at all, nobody can tell, and the trajectory is kept.
    """

    level: ClassVar[Level] = "trajectory"
    reason: ClassVar[str] = "undeclared_tool"

    domains: tuple[Domain, ...] = (Domain.MCP, Domain.SWE)
    """Where tools are declared per trajectory."""

    def keep(self) -> pl.Expr:
        """Return whether every call names a declared tool."""
        return self.score() == 0

    def score(self) -> pl.Expr:
        """Return how many calls do not."""
        import polars as pl

        declared = pl.col("tools").str.extract_all(_NAME)
        called = pl.format('"name":"{}"', pl.col("action_name"))
        judged = pl.col("domain").is_in([str(domain) for domain in self.domains]) & (declared.list.len() > 0)
        judged &= pl.col("action_kind") == "tool_call"  # resources and prompts are no tools
        stray = judged & pl.col("action_name").is_not_null() & ~declared.list.contains(called)
        return stray.fill_null(value=False).sum().over("trajectory_id").cast(pl.Float64)
