"""What the README shows is run, in the order in which it stands there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.collectors.terminal._needs import needs
from worldtape.pipelines.demo import Place, demo

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
PYTHON = [code for language, code in BLOCKS if language == "python"]
pytestmark = pytest.mark.slow
COMMANDS = [line for language, code in BLOCKS if language == "sh" for line in code.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("readme")
    demo(path / "worldtape-demo", place=Place("tapes"))
    return path


def test_there_is_something_to_run() -> None:
    assert len(PYTHON) >= 2
    assert [line.split()[0] for line in COMMANDS] == ["make", "make", "worldtape"]


@pytest.mark.parametrize("code", PYTHON)
def test_python(folder: Path, code: str) -> None:
    needs("local")
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("worldtape")])
def test_commands(folder: Path, line: str) -> None:
    words = [sys.executable, "-m", *shlex.split(line, comments=True)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "tool_error" in done.stdout
