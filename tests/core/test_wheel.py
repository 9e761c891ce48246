"""The wheel has every file of the five folders and of the core, and nothing else at its top."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("collectors", "filters", "pipelines", "schemas", "storage")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel under test, or build one where the tests were started by hand."""
    if given := os.environ.get("WORLDTAPE_WHEEL"):
        return Path(given)
    out = tmp_path_factory.mktemp("wheel")
    source = out / "source"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(source)], check=True, capture_output=True)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps"]
    command = [*pip, "-w", str(out), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def tracked() -> set[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode()
    names = set()
    for name in filter(None, listed.split("\0")):
        head, _, rest = name.partition("/")
        if head in PARTS:
            names.add(f"worldtape/{name}")
        elif name.startswith("src/worldtape/") and rest.removeprefix("worldtape/") not in PARTS:
            names.add(rest)
    return names


def test_wheel_has_every_file(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == tracked()


def test_readable_without_us_on_the_path() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "worldtape", "--version"], capture_output=True, text=True, cwd="/", check=True
    )
    assert done.stdout.startswith("worldtape 0.")
