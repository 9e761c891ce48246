"""Memory of projection and curation follows the size of a part, not of the lake."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.pipelines.tapes import write_tapes
from worldtape.storage import Lake

TAPES, STEPS = 32, 60
SCRIPT = f"""
import json, sys
from worldtape.pipelines.curate import curate
from worldtape.pipelines.project import project

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) >> 10

project(sys.argv[1], part_size={TAPES}, workers=0)
projected = peak()
curate(sys.argv[1], workers=0)
print(json.dumps([projected, peak()]))
"""


@pytest.mark.slow
def test_a_larger_lake_takes_no_more_memory(tmp_path_factory: pytest.TempPathFactory) -> None:
    peaks = []
    for parts in (4, 20):
        folder = tmp_path_factory.mktemp(f"memory{parts}")
        write_tapes(folder, parts * TAPES, steps=STEPS, oddities=False)
        done = subprocess.run([sys.executable, "-c", SCRIPT, str(folder)], capture_output=True, text=True, check=True)
        peaks.append(json.loads(done.stdout))
        lake = Lake.open(folder)
        text = sum(int(lake.read(part, ["observation_text"]).estimated_size()) for part in lake.parts()) >> 20
    assert len(lake.parts()) == 20
    small, large = peaks
    assert text > 40
    for less, more in zip(small, large, strict=True):
        assert more < less + text // 2, (small, large, text)
