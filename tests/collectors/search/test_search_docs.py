"""docs/search.md: its table comes from the models, its examples are read and run.

`python -m tests.collectors.search.test_search_docs` writes what is made from code again.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import yaml

from tests._settings_table import filled, settings_table
from tests.core.test_house import ROOT
from tests.pipelines._record import CLI
from worldtape.collectors.search import (
    EmbeddedConfig,
    Fields,
    HttpConfig,
    McpCall,
    McpSearchConfig,
    SearchConfig,
    WebConfig,
)
from worldtape.collectors.tasks import TaskFile
from worldtape.pipelines.record import JobConfig
from worldtape.pipelines.record.search import SearchKind
from worldtape.schemas.settings import parse_settings

PAGE = ROOT / "docs" / "search.md"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def generated(text: str) -> str:
    table = settings_table(
        ("", SearchConfig),
        ("embedded.", EmbeddedConfig),
        ("http.", HttpConfig),
        ("http.fields., mcp.fields.", Fields),
        ("mcp.", McpSearchConfig),
        ("mcp.search., mcp.extract.", McpCall),
        ("web.", WebConfig),
    )
    return filled(text, {"search-settings": table})


def shell(commands: str, folder: Path) -> str:
    """Run the page's own commands in `folder`, with few processes, and return what the last one prints."""
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "worldtape").write_text(f"#!/bin/sh\nexec {CLI[0]} -c '{CLI[2]}' \"$@\"\n")
    (folder / "worldtape").chmod(0o755)
    commands = commands.replace("--lake lake", "--lake lake --workers 0").replace(
        "project lake", "project lake --workers 1"
    )
    before, query = commands.split("worldtape query", 1)
    for part in (*before.splitlines()[1:], f"worldtape query{query}"):
        script = f"PATH=.:$PATH\n{part}"
        done = subprocess.run(["/bin/sh", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_table_is_current() -> None:
    assert PAGE.read_text("utf-8") == generated(PAGE.read_text("utf-8"))


def test_the_example_prints_what_the_page_shows(tmp_path: Path) -> None:
    shown = PAGE.read_text("utf-8").partition("<!-- example-output -->\n\n```text\n")[2].partition("```")[0]
    assert shell(_blocks("sh")[0], tmp_path) == shown


def test_the_program_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _blocks("python")[0]], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "[1] URL: https://wiki.skerra.example/" in done.stdout
    assert done.stdout.endswith("Successfully added 'answer' to memory.\n")
    assert (tmp_path / "my-lake" / "tapes").is_dir()


@pytest.mark.parametrize("number", range(len(_blocks("yaml"))))
def test_settings_are_taken(number: int) -> None:
    text = _blocks("yaml")[number]
    if text.startswith("# task"):
        task = parse_settings(TaskFile, text, where="docs")
        assert SearchKind.player(task).action_kinds == {"tool_call"}
        assert SearchKind().make(SearchConfig(), task).config.target_query
    else:
        environment = parse_settings(JobConfig, f"name: x\n{text}", where="docs").environment
        assert environment == yaml.safe_load(text)["environment"]


def test_sentences_on_the_page_are_those_of_the_code() -> None:
    code = "".join(path.read_text("utf-8") for path in (ROOT / "collectors" / "search").rglob("*.py"))
    for kind in re.findall(r"\| `(?:tool_error|env_error|rejected|timeout_killed|ok)` \| ([^|]*)\|", PAGE.read_text()):
        for name in re.findall(r"`(\w+)`", kind):
            assert f'"{name}"' in code or name in ("code", "tool", "server_gone")


def _write() -> None:
    text = generated(PAGE.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        output = shell(_blocks("sh")[0], Path(folder))
    PAGE.write_text(filled(text, {"example-output": f"```text\n{output}```"}), "utf-8")


if __name__ == "__main__":
    _write()
