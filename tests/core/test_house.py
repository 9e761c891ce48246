"""The house stands as the design says: five folders, one import name, nothing on import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("collectors", "filters", "pipelines", "schemas", "storage")
HEAVY: tuple[str, ...] = (
    "dask",
    "datasets",
    "distributed",
    "docker",
    "duckdb",
    "fsspec",
    "httpx",
    "jinja2",
    "mcp",
    "numba",
    "pandas",
)
HEAVY += ("playwright", "polars", "pyarrow", "pyghostty", "appium", "huggingface_hub", "numpy", "yaml", "zstandard")


@pytest.mark.parametrize("part", PARTS)
def test_links_lead_to_the_five_folders(part: str) -> None:
    link = ROOT / "src" / "worldtape" / part
    assert link.is_symlink()
    assert link.readlink() == Path("../..") / part
    assert link.resolve() == ROOT / part


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/")
    return done.stdout


def test_one_import_name() -> None:
    names = ", ".join(f"worldtape.{part}" for part in PARTS)
    out = run(f"import sys, {names}; print([n for n in {PARTS!r} if n in sys.modules])")
    assert out.strip() == "[]"


@pytest.mark.parametrize(
    "name", ["worldtape", "worldtape.cli", "worldtape.testing", *(f"worldtape.{p}" for p in PARTS)]
)
def test_importing_does_nothing(name: str) -> None:
    out = run(f"import sys, {name}; print([n for n in {HEAVY!r} if n in sys.modules])")
    assert out.strip() == "[]"
