"""What a demo records: in every domain the tasks of its suite by their own solutions, and a seeded explorer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldtape.pipelines.demo._place import Place
from worldtape.pipelines.record import JobConfig

_ORDERS = {"kind": "mcp", "server": "orders"}
_HERE: dict[str, Any] = {"workers": 0, "max_seconds": 120.0}
"""What waits more than it works needs no processes of its own."""


def jobs(place: Place) -> Iterator[JobConfig]:
    """Give the jobs for what can be recorded at `place`."""
    if "terminal" not in place.shipped:
        few = {"policy": {"kind": "explore"}, "limit": 6, "repeats": 2, "max_steps": 20}
        yield from _two({"environment": place.environment()}, few)
    few = {"policy": {"kind": "explore-tools"}, "limit": 6, "max_steps": 20}
    if place.search:
        yield from _two({"environment": {"kind": "search"}} | _HERE, few)
    yield from _two({"environment": _ORDERS} | _HERE, few)
    if "web" not in place.shipped:
        few = {"policy": {"kind": "explore-web"}, "limit": 4, "max_steps": 15}
        yield from _two({"environment": {"kind": "web"}} | _HERE, few)


def _two(shared: dict[str, Any], explorer: dict[str, Any]) -> Iterator[JobConfig]:
    name = f"demo-{shared['environment']['kind']}"
    yield JobConfig(name=f"{name}-tasks", **shared)
    yield JobConfig(name=f"{name}-explore", **shared, **explorer)
