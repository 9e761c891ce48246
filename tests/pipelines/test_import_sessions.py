"""A folder of sessions of several agents, from the command line to the table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.collectors.importers import test_droid as droid
from tests.collectors.importers import test_openclaw as openclaw
from tests.collectors.importers import test_pi as pi
from tests.collectors.importers._files import jsonl

FILES = {
    "openclaw/s1.jsonl": jsonl(
        openclaw.HEAD, openclaw.SNAPSHOT, openclaw.ASK, openclaw.run("a2", "u1", "c1"),
        openclaw.ran("t3", "a2", "c1", "one", exitCode=0),
    ),
    "droid/s1.jsonl": jsonl(
        droid.HEAD, droid.CONTEXT, droid.ASK, droid.calls("a2", "u1", "c1", "c2"), droid.gives("t3", "a2", "c1", "one"),
    ),
    "droid/s1.settings.json": b'{"model": "m"}',
    "pi/2026_s1.jsonl": jsonl(
        pi.HEAD, pi.ASK, pi.calls("a2", "u1", "c1"), pi.gives("t3", "a2", "c1", "left"),
        pi.calls("a4", "u1", "c2"), pi.gives("t5", "a4", "c2", "kept"),
    ),
    "pi/next.jsonl": jsonl({**pi.HEAD, "version": 4}, pi.ASK),
    "pi/quiet.jsonl": jsonl(pi.HEAD, pi.ASK),
}  # fmt: skip
TABLE = {"droid": (1, 1, 2), "openclaw": (1, 1, 1), "pi": (1, 2, 2)}
"""Format to files, trajectories and transitions."""


def run(folder: Path, lake: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "worldtape", "import", str(folder), "--lake", str(lake), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr  # something was refused
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_folder_of_sessions(tmp_path: Path) -> None:
    for name, data in FILES.items():
        path = tmp_path / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    report = run(tmp_path / "logs", tmp_path / "lake")
    rows = {name: (one["files"], one["trajectories"], one["transitions"]) for name, one in report["formats"].items()}
    assert rows == TABLE
    assert {one["file"]: one["reason"].split(":")[0] for one in report["refused"]} == {
        "pi/next.jsonl": "session version 4 is unknown; 1 to 3 are read",
        "pi/quiet.jsonl": "no tool was called",
    }
    assert [one["file"] for one in report["unknown"]] == ["droid/s1.settings.json"]
    assert report["formats"]["droid"]["lossiness"]["tail_missing"] == 1
    again = run(tmp_path / "logs", tmp_path / "lake")
    assert {name: (one["trajectories"], one["present"]) for name, one in again["formats"].items()} == {
        name: (0, count) for name, (_, count, _) in TABLE.items()
    }
