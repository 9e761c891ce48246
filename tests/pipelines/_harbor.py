"""Harbor's own models of ATIF, beside our environment: its package needs Python 3.12 and much that we do not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HARBOR = "harbor==0.26.0"
HOW = f"pip install --no-deps --ignore-requires-python --target DIR {HARBOR} (needs a package index)"
_CODE = """
import sys
from pathlib import Path
from harbor.models.trajectories import Trajectory
for name in sys.argv[1:]:
    try:
        Trajectory.model_validate_json(Path(name).read_bytes())
    except ValueError as error:
        print(name, error)
"""


def folder() -> Path | None:
    """Return a folder with the package alone, made on first use and kept; null: it cannot be had.

    The models need nothing but pydantic, which is ours.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "worldtape" / "tests"
    target = cache / HARBOR.replace("==", "-")
    if target.is_dir():
        return target
    draft = cache / f".{target.name}-{os.getpid()}"
    flags = ["-qq", "--no-deps", "--ignore-requires-python", "--target", str(draft)]
    done = subprocess.run([sys.executable, "-m", "pip", "install", *flags, HARBOR], check=False)
    if done.returncode:
        shutil.rmtree(draft, ignore_errors=True)
        return None
    try:
        draft.rename(target)
    except OSError:  # somebody was quicker
        shutil.rmtree(draft, ignore_errors=True)
    return target


def complaints(package: Path, documents: list[Path]) -> str:
    """Return what Harbor's models say against `documents`: nothing, where they are valid."""
    command = [sys.executable, "-c", _CODE, *map(str, documents)]
    env = os.environ | {"PYTHONPATH": str(package)}
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout
