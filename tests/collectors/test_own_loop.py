"""The example in which somebody's own agent loop is recorded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests._components import require
from worldtape.storage import Lake, TapeReader

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "own_loop.py"


def test_own_loop_records_a_tape(tmp_path: Path) -> None:
    require("a shell on Linux", sys.platform == "linux", "run this on Linux")
    lake = tmp_path / "lake"
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), str(lake), "unsafe-local"], capture_output=True, text=True, check=True
    )
    assert "cat: nowhere: No such file or directory" in done.stdout
    assert "tool_error" in done.stdout
    (ref,) = Lake.open(str(lake)).tapes()
    assert ref.sealed
    kinds = [event.kind for event in TapeReader(ref.path).events()]
    assert kinds.count("action") == kinds.count("result") == 4
    assert kinds[-1] == "end"


def test_it_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 25
