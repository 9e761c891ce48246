"""docs/swe.md tells the settings of the explorer and the tasks of the suite.

`python -m tests.collectors.swe.test_explored_docs` writes them again.
"""

from __future__ import annotations

import re

from tests._settings_table import filled, settings_table
from tests.core.test_house import ROOT
from worldtape.collectors.policies import ExploreRepoConfig
from worldtape.collectors.swe.results.read import FRAMEWORKS
from worldtape.collectors.tasks import load_suite
from worldtape.pipelines.record import read_job

PAGE = ROOT / "docs" / "swe.md"


def generated(text: str) -> str:
    text = filled(text, {"explore-repo-settings": settings_table(("", ExploreRepoConfig))})
    return re.sub(r"(?<=The suite `swe-core`: )\w+", str(len(load_suite("swe-core").tasks)), text)


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text("utf-8")
    assert generated(text) == text, "run python -m tests.collectors.swe.test_explored_docs"


def test_every_framework_is_named() -> None:
    text = PAGE.read_text("utf-8")
    assert [name for name in FRAMEWORKS if name not in text] == []


def test_the_example_explores_every_package() -> None:
    job = read_job(ROOT / "examples" / "swe.yaml")
    tasks = load_suite(job.suite).tasks
    assert job.policy["kind"] == "explore-repo"
    assert len(tasks) * job.repeats >= 20
    assert {task.start["package"] for task in tasks} == {"inflection", "tabulate", "toolz"}


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), encoding="utf-8")
