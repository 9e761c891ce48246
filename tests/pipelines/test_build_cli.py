"""`worldtape build`: one call, a table or an object, errors of one line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipelines.build_lake import plain_lake


def worldtape(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from worldtape.cli import main; main()", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "lake"
    plain_lake(path, count=12)
    return path


def test_table_and_then_json(lake: Path, tmp_path: Path) -> None:
    done = worldtape("build", "cpt", lake, "--out", tmp_path / "cpt", "--workers", 0)
    assert done.returncode == 0, done.stderr
    assert "in the lake" in done.stdout
    assert "pool: sft" in done.stdout
    assert "train" in done.stderr
    again = worldtape("build", "cpt", lake, "--out", tmp_path / "cpt", "--workers", 0, "--json")
    report = json.loads(again.stdout)
    assert not report["fresh"]
    counted = report["transitions"]
    assert counted["read"] == counted["trained"] + sum(counted["dropped"].values())


def test_settings_from_a_file_and_a_wrong_key(lake: Path, tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text("per_trajectory: 1\n")
    words = ("build", "sft", lake, "--workers", 0, "--json", "--out", tmp_path / "sft")
    done = worldtape(*words, "--config", tmp_path / "good.yaml", "--seed", 5)
    assert sum(json.loads(done.stdout)["rows"].values()) == 6
    assert "seed: 5" in (tmp_path / "sft" / "README.md").read_text()
    (tmp_path / "bad.yaml").write_text("seed: 1\nper_trajektory: 1\n")
    done = worldtape(*words, "--config", tmp_path / "bad.yaml")
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "bad.yaml:2" in done.stderr
    assert "per_trajectory" in done.stderr


@pytest.mark.parametrize("corpus", ["cpt", "sft"])
def test_errors_are_one_line(lake: Path, tmp_path: Path, corpus: str) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.txt").write_text("mine")
    for words in ((lake, "--out", tmp_path / "taken"), (tmp_path / "nowhere", "--out", tmp_path / "out")):
        done = worldtape("build", corpus, *words, "--workers", 0)
        assert done.returncode == 1
        assert done.stdout == ""
        assert len(done.stderr.strip().splitlines()) == 1
