"""The settings of `explore-tools` stand in docs/mcp.md, and every trick of the rogue.

`python -m tests.collectors.policies.test_explore_tools_docs` writes the table again.
"""

from __future__ import annotations

import re

from tests._settings_table import filled, settings_table
from tests.core.test_house import ROOT
from worldtape.collectors.mcp.servers.orders.catalog import catalog
from worldtape.collectors.mcp.servers.rogue.tricks import TRICKS
from worldtape.collectors.policies import ExploreToolsConfig
from worldtape.collectors.tasks import load_suite
from worldtape.pipelines.record import read_job

PAGE = ROOT / "docs" / "mcp.md"


def generated(text: str) -> str:
    return filled(text, {"explore-tools-settings": settings_table(("", ExploreToolsConfig))})


def test_the_table_is_that_of_the_model() -> None:
    text = PAGE.read_text("utf-8")
    assert generated(text) == text, "run python -m tests.collectors.policies.test_explore_tools_docs"


def test_every_trick_is_told() -> None:
    text = PAGE.read_text("utf-8")
    assert set(TRICKS) <= set(re.findall(r"`(\w+)`", text))
    assert f"{len(catalog())} tools" in text
    assert f"{len(load_suite('mcp-core').tasks)} tasks" in text


def test_the_job_on_the_page_is_the_example() -> None:
    text = PAGE.read_text("utf-8")
    (job,) = (block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if block.startswith("name: "))
    path = ROOT / "examples" / "mcp.yaml"
    assert [line for line in job.splitlines() if line not in path.read_text("utf-8").splitlines()] == []
    assert read_job(path).environment["server"] == "orders"


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), encoding="utf-8")
