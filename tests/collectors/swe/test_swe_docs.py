"""docs/swe.md: its table comes from the models, its words from the tools, its example is run.

`python -m tests.collectors.swe.test_swe_docs` writes the table again.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests._settings_table import filled, settings_table
from tests.core.test_house import ROOT
from worldtape.collectors.swe import SweConfig
from worldtape.collectors.swe.tools import Family, declared
from worldtape.collectors.tasks import TaskFile
from worldtape.pipelines.record.swe import SweKind
from worldtape.schemas.settings import parse_settings

PAGE = ROOT / "docs" / "swe.md"


def generated(text: str) -> str:
    """Return the page with the table as it has to be."""
    return filled(text, {"swe-settings": settings_table(("", SweConfig))})


def test_the_table_is_that_of_the_models() -> None:
    text = PAGE.read_text("utf-8")
    assert generated(text) == text, "run python -m tests.collectors.swe.test_swe_docs"


@pytest.mark.parametrize("family", ["cli", "claude"])
def test_every_tool_is_named(family: Family) -> None:
    text = PAGE.read_text("utf-8")
    assert [tool.name for tool in declared(family) if f"`{tool.name}`" not in text] == []


def test_the_task_is_one() -> None:
    (written,) = re.findall(r"```yaml\n# task\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    task = parse_settings(TaskFile, written, where=PAGE)
    assert task.begun(SweConfig(package="toolz")).package == "inflection"
    assert SweKind.player(task) is not None


@pytest.mark.docker
@pytest.mark.usefixtures("swe_packages")
def test_the_example_says_what_the_page_says(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (output,) = re.findall(r"<!-- example-output -->\n\n```text\n(.*?)```", text, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == output


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), encoding="utf-8")
