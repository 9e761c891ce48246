"""The command line mirrors the library: every command is documented, and an error is one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from worldtape.cli._app import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def worldtape(*words: str, cwd: Path | str = "/") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "worldtape", *words]
    env = os.environ | {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, check=False)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example(name: str) -> None:
    done = worldtape(name, "--help")
    assert done.returncode == 0, done.stderr
    assert "Example:" in done.stdout
    assert f"worldtape {name}" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme(name: str) -> None:
    assert f"`{name}" in (ROOT / "README.md").read_text("utf-8")


def test_every_module_is_a_command() -> None:
    folder = Path(str(import_module("worldtape.cli").__file__)).parent
    modules = {path.stem.rstrip("_") for path in folder.glob("*.py") if not path.stem.startswith("_")}
    assert modules == set(COMMANDS)


def test_schema_is_json_on_stdout_alone() -> None:
    done = worldtape("schema")
    assert "Transition" in json.loads(done.stdout)["$defs"]
    assert done.stderr == ""


def test_unknown_words_are_usage_errors() -> None:
    done = worldtape("recrod")
    assert done.returncode == 2
    assert "recrod" in done.stderr


@pytest.mark.parametrize(
    "words", [["query", "/no/such/lake", "SELECT 1"], ["project", "/no/such/lake"], ["show", "/no/such/lake"]]
)
def test_a_missing_lake_is_one_line(words: list[str]) -> None:
    done = worldtape(*words)
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert "/no/such/lake" in done.stderr


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m worldtape schema | head -n 1", shell=True, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("{\n", "")
