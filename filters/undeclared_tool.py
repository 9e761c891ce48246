"""Calls of tools that nobody declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from worldtape.filters._filter import Filter, Level
from worldtape.schemas import Domain, Status

if TYPE_CHECKING:
    import polars as pl

_REFUSED = (Status.TOOL_ERROR, Status.PROTOCOL_ERROR, Status.REJECTED, Status.NOT_EXECUTED)
_NAME = r'"name":"((?:[^"\\]|\\.)*)"'


class UndeclaredTool(Filter):
    """Rejects a trajectory with a call of a tool that its environment did not declare and yet carried out.

    Where no tools were declared at all, nobody can tell, and the trajectory is kept.
    """

    level: ClassVar[Level] = "trajectory"
    reason: ClassVar[str] = "undeclared_tool"

    domains: tuple[Domain, ...] = (Domain.MCP, Domain.SWE)
    """Where tools are declared per trajectory."""
    refused: Literal["keep", "reject"] = "keep"
    """A call that was answered with an error follows from what was declared; `reject`: it counts as well, which is the
    published recipe to the letter."""

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
        if self.refused == "keep":
            judged &= ~pl.col("status").is_in([str(status) for status in _REFUSED])
        stray = judged & pl.col("action_name").is_not_null() & ~declared.list.contains(called)
        return stray.fill_null(value=False).sum().over("trajectory_id").cast(pl.Float64)
