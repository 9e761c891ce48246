"""Memory follows the size of a record, not of the file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.pipelines.importing import rows, toy

SCRIPT = """
import sys
import pytest
from tests.pipelines.importing import Toy, only
from worldtape import import_files
with pytest.MonkeyPatch.context() as patch:
    only(patch, Toy)
    report = import_files([sys.argv[1]], sys.argv[2], workers=0)
assert report.ok
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak // 1024, report.total.transitions)
"""
ROOT = Path(__file__).resolve().parents[2]


def peak(source: Path, lake: Path) -> tuple[int, int]:
    command = [sys.executable, "-c", SCRIPT, str(source), str(lake)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    megabytes, transitions = map(int, done.stdout.split())
    return megabytes, transitions


def test_a_file_a_hundred_times_larger_takes_no_more_memory(tmp_path: Path) -> None:
    found = []
    for name, count in (("small", 1), ("large", 100)):
        with (tmp_path / name).open("wb") as file:
            for number in range(count * 10):
                file.write(rows(toy(*((f"{number} {step}", "lorem ipsum " * 400) for step in range(20)))))
        found.append(peak(tmp_path / name, tmp_path / f"{name}-lake"))
    (small, few), (large, many) = found
    assert (few, many) == (200, 20_000)
    assert (tmp_path / "large").stat().st_size > 90 << 20
    assert large < small + 32
