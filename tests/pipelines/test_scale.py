"""Thousands of recordings of 20 steps through the whole house, twice, with different numbers of workers.

CI takes 3,000; `WORLDTAPE_SCALE=10000` takes more.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.pipelines.tapes import write_tapes

COUNT = int(os.environ.get("WORLDTAPE_SCALE", "3000"))
PART = COUNT // 20 + 1
"""Recordings of a part: there are twenty."""
LARGEST_MB = 600
"""Of one process, its libraries included: these alone take 200."""
CHAIN = """
import json, resource, sys
from worldtape.pipelines.build import build_cpt, build_sft
from worldtape.pipelines.curate import curate
from worldtape.pipelines.project import project

def peak():
    # RUSAGE_SELF would begin with what the test runner held when it forked
    own = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) >> 10

folder, workers, part = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
lake = folder + "/lake"
said = {}
projected = project(lake, workers=workers, part_size=part)
said["projected"] = [projected.recordings, projected.transitions, projected.mismatched]
said["workers"] = sorted(projected.workers.values())
said["peak_project"] = peak()
said["funnel"] = curate(lake, workers=workers).funnel.to_dict()
said["peak_curate"] = peak()
said["cpt"] = build_cpt(lake, folder + "/cpt", workers=workers).to_dict()
said["sft"] = build_sft(lake, folder + "/sft", workers=workers).to_dict()
said["peak_build"] = peak()
print(json.dumps(said))
"""


def digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def chains(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, dict[str, Any]]:
    """The same tapes in two lakes, worked on at the same time: by two workers, and in one process."""
    folders = [tmp_path_factory.mktemp(name) for name in ("two", "none")]
    write_tapes(folders[0] / "lake", COUNT)
    shutil.copytree(folders[0] / "lake", folders[1] / "lake", copy_function=os.link)
    # Not under coverage, which the small tests are for: it takes three times as long, and memory of its own.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", CHAIN, str(folder), workers, str(PART)], stdout=subprocess.PIPE, text=True, env=env
        )
        for folder, workers in zip(folders, ("2", "0"), strict=True)
    ]
    said = [json.loads(process.communicate()[0]) for process in running]
    assert all(process.returncode == 0 for process in running)
    return dict(zip(folders, said, strict=True))


@pytest.mark.slow
def test_everything_adds_up(chains: dict[Path, dict[str, Any]]) -> None:
    for said in chains.values():
        recordings, transitions, mismatched = said["projected"]
        assert (recordings, mismatched) == (COUNT, 0)
        pools = said["funnel"]["pools"]
        for corpus in ("cpt", "sft"):
            counted = said[corpus]["transitions"]
            assert counted["read"] == transitions
            assert counted["read"] == counted["trained"] + sum(counted["dropped"].values())
            context = sum(n for why, n in counted["dropped"].items() if "kept as context" in why)
            assert counted["trained"] + context == pools[corpus]["transitions"]
            assert said[corpus]["trajectories"]["used"] <= pools[corpus]["trajectories"]


@pytest.mark.slow
def test_two_workers_share_the_work(chains: dict[Path, dict[str, Any]]) -> None:
    said, _ = chains.values()
    few, many = said["workers"]
    assert few + many >= 16
    assert few >= 0.3 * (few + many)


@pytest.mark.slow
def test_no_process_grows_with_the_lake(chains: dict[Path, dict[str, Any]]) -> None:
    """There are twenty parts: what a process held is far from the 20 together (see also `test_build_memory`)."""
    for said in chains.values():
        assert max(said["peak_project"], said["peak_curate"], said["peak_build"]) < LARGEST_MB


@pytest.mark.slow
def test_workers_change_no_byte(chains: dict[Path, dict[str, Any]]) -> None:
    two, none = chains
    for name in ("lake/trajectories", "lake/transitions", "lake/notes", "cpt", "sft"):
        assert digests(two / name) == digests(none / name), name
