"""docs/web.md: its table comes from the model, its example is run, its actions are those there are.

`python -m tests.collectors.web.test_web_docs` writes the table again.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests._settings_table import filled, settings_table
from tests.core.test_house import ROOT
from worldtape.collectors.web import WebConfig
from worldtape.collectors.web.calls import signature
from worldtape.collectors.web.offered import tools_of

PAGE = ROOT / "docs" / "web.md"


def generated(text: str) -> str:
    return filled(text, {"web-settings": settings_table(("", WebConfig))})


def run_example(folder: Path) -> str:
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[0]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    return done.stdout


def test_the_table_is_that_of_the_model() -> None:
    text = PAGE.read_text("utf-8")
    assert generated(text) == text, "run python -m tests.collectors.web.test_web_docs"


def test_every_action_is_named_and_every_named_one_is_there() -> None:
    (table,) = re.findall(r"\| BrowserGym \|.*?\n\n", PAGE.read_text("utf-8"), re.DOTALL)
    named = {name for name in re.findall(r"`([a-z_]+)", table) if "_" in name or signature(name)}
    assert named == {tool.name for renderer in ("web.axtree", "web.snapshot") for tool in tools_of(renderer)}


@pytest.mark.web
@pytest.mark.usefixtures("chromium")
def test_the_example_says_what_the_page_says(tmp_path: Path) -> None:
    (output,) = re.findall(r"<!-- example-output -->\n\n```text\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert run_example(tmp_path) == output


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        said = run_example(Path(folder))
    text = generated(PAGE.read_text("utf-8"))
    head, mark, rest = text.partition("<!-- example-output -->\n\n```text\n")
    PAGE.write_text(head + mark + said + "```" + rest.partition("```")[2], encoding="utf-8")
