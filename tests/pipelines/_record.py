"""Jobs, and looks into lakes, for the tests of `record`."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from worldtape.pipelines.record import JobConfig
from worldtape.storage import Lake, TapeReader

CLI = [sys.executable, "-c", "from worldtape.cli import main; main()"]
TASK = "id: {id}\ninstruction: do it\nsetup:\n  files: {{a.txt: hello}}\n  commands: ['{setup}']\nsolution: [{steps}]\n"


def write_suite(folder: Path, count: int = 1, *, steps: str = "ls, cp a.txt b.txt", setup: str = "true") -> Path:
    """Write `count` tasks that end with b.txt beside a.txt; return their folder."""
    folder.mkdir(parents=True)
    for number in range(count):
        text = TASK.format(id=f"t/{number:02d}", steps=steps, setup=setup)
        (folder / f"t-{number:02d}.yaml").write_text(text + "verifier: cmp a.txt b.txt\n")
    return folder


def job(suite: Path, **fields: object) -> JobConfig:
    """Return a job over `suite` in the local sandbox, in this process."""
    return JobConfig.model_validate({"name": "test", "suite": str(suite), "workers": 0} | fields)


def tapes(lake: Path) -> list[TapeReader]:
    """Return the tapes of a lake, oldest first."""
    return [TapeReader(tape.path) for tape in Lake.open(lake).tapes()]


def end_of(tape: TapeReader) -> dict[str, object]:
    """Return the data of the last event where it is the end, else nothing."""
    last = list(tape.events())[-1]
    return last.data if last.kind == "end" else {}


def by_item(lake: Path) -> dict[str, list[TapeReader]]:
    """Return the tapes of each item."""
    found = defaultdict(list)
    for tape in tapes(lake):
        found[tape.header["extra"]["item"]].append(tape)
    return found


def cli(*args: object, **how: object) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    words = [*CLI, *map(str, args)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, **how)  # type: ignore[call-overload,no-any-return]
