"""docs/desktop.md: its tables come from the models, its example is run, its task is one of ours.

`python -m tests.collectors.desktop.test_desktop_docs` writes the tables again.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests._settings_table import filled, settings_table
from tests.core.test_house import ROOT
from worldtape.collectors.desktop import DesktopConfig
from worldtape.collectors.policies.explore_desktop import ExploreDesktopConfig
from worldtape.collectors.tasks import load_suite
from worldtape.collectors.tasks.suite import SUITES

PAGE = ROOT / "docs" / "desktop.md"


def generated(text: str) -> str:
    tables = {
        "desktop-settings": settings_table(("", DesktopConfig)),
        "explore-desktop-settings": settings_table(("", ExploreDesktopConfig)),
    }
    return filled(text, tables)


def test_the_tables_are_those_of_the_models() -> None:
    text = PAGE.read_text("utf-8")
    assert generated(text) == text, "run python -m tests.collectors.desktop.test_desktop_docs"


def test_the_suite_is_as_it_is_told() -> None:
    text = PAGE.read_text("utf-8")
    assert f"The suite `desktop-core`: {len(load_suite('desktop-core').tasks)} tasks" in text
    found = re.search(r"```yaml\n# task: (\S+)\n(.*?)```", text, re.DOTALL)
    assert found is not None
    name, shown = found.groups()
    assert (Path(SUITES) / "desktop-core" / name).read_text("utf-8") == shown


@pytest.mark.desktop
@pytest.mark.slow
@pytest.mark.usefixtures("desktop_image")
def test_the_example_says_what_the_desktop_says(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    (output,) = re.findall(r"<!-- example-output -->\n\n```text\n(.*?)```", text, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == output


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), encoding="utf-8")
