"""Real recordings of every domain but terminals pass through all formats that take them, and come back whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.collectors.web._needs import needs_chromium
from tests.pipelines.round_trip import BOTH_WAYS, comes_back, heads
from tests.pipelines.test_export_otlp import spans_of, traces
from worldtape import project
from worldtape.pipelines.exporting import EXPORTERS
from worldtape.pipelines.record import JobConfig, record
from worldtape.storage import Lake

LIGHT = {"html": False, "screenshot": "none", "bodies": "none"}
PLACES: dict[str, tuple[dict[str, Any], str]] = {
    "mcp": ({"kind": "mcp", "server": "orders"}, "explore-tools"),
    "search": ({"kind": "search"}, "explore-tools"),
    "web": ({"kind": "web", **LIGHT}, "explore-web"),
}
STEPS = 6
PAIRS = [
    pytest.param(domain, name, marks=[pytest.mark.web] if domain == "web" else [])
    for domain in PLACES
    for name in BOTH_WAYS
    if domain in EXPORTERS[name].domains
]
_lakes: dict[str, Lake] = {}


@pytest.fixture
def lake(domain: str, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """A lake with a solved task and an explored one, recorded once."""
    if domain == "web":
        needs_chromium()
    if domain not in _lakes:
        _lakes[domain] = recorded(domain, tmp_path_factory.mktemp(domain) / "lake")
    return _lakes[domain]


def recorded(domain: str, root: Path) -> Lake:
    environment, explorer = PLACES[domain]
    for policy in ({"kind": "script"}, {"kind": explorer, "steps": STEPS}):
        job = JobConfig(name=policy["kind"], environment=environment, policy=policy, limit=1, workers=0)
        assert record(job, root).recorded["completed"] == 1
    project(root, workers=0)
    return Lake.open(root)


@pytest.mark.parametrize(("domain", "name"), PAIRS)
def test_it_comes_back(name: str, lake: Lake, tmp_path: Path) -> None:
    report = comes_back(name, lake, tmp_path)
    assert (report.trajectories, report.skipped) == (2, 0)
    if name != "mcp-cassette":
        assert heads(tmp_path / "lake") == heads(lake)


@pytest.mark.parametrize("domain", ["mcp", "search", pytest.param("web", marks=pytest.mark.web)])
def test_it_is_a_trace(lake: Lake) -> None:
    assert all(len(spans_of(line)) > STEPS // 2 for line in traces(Path(lake.uri)))
