"""The funnel as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from worldtape.cli._console import print_table

if TYPE_CHECKING:
    from worldtape.pipelines.curate import Funnel


def print_funnel(funnel: Funnel, *, title: str | None = None) -> None:
    """Write levels and losses (losses as negative numbers, indented), then the pools, to stdout."""
    rows = []
    for line in funnel.lines:
        sign = 1 if line.reason is None else -1
        counts = [None if not count else sign * count for count in (line.trajectories, line.transitions)]
        rows.append((line.stage if line.reason is None else f"  {line.stage}: {line.reason}", *counts))
    print_table(["", "trajectories", "transitions"], rows, title=title)
    dealt = [(pool, counts["trajectories"], counts["transitions"]) for pool, counts in funnel.pools.items()]
    print_table(["pool", "trajectories", "transitions"], dealt)
