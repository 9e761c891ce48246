"""Memory follows the size of a part, not of the lake."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.pipelines.build_lake import Told, write_lake

SCRIPT = """
import sys
from worldtape.pipelines.build import CptConfig, SftConfig, build_cpt, build_sft
lake, out = sys.argv[1:]
build_cpt(lake, out + "/cpt", config=CptConfig(group_bytes=8 << 20), workers=0)
report = build_sft(lake, out + "/sft", config=SftConfig(per_trajectory=None, group_bytes=8 << 20), workers=0)
assert report.transitions_read == sum(report.dropped.values()) + report.transitions_trained
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak // 1024, sum(report.group("tokens").values()) >> 20)
"""
SCREEN = "\n".join(f"{n:04d} " + "lorem ipsum dolor sit amet " * 5 for n in range(40))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[int, int]]:
    found = []
    for parts in (4, 20):
        folder = tmp_path_factory.mktemp(f"memory{parts}")
        told = [
            Told(
                f"{n:05d}",
                pool="cpt" if n % 2 else "sft",
                turns=[(f'[{{"keystrokes": "{n}\\n"}}]', f"{n} {step}\n{SCREEN}") for step in range(20)],
            )
            for n in range(parts * 16)
        ]
        write_lake(folder / "lake", told, per_part=16)
        command = [sys.executable, "-c", SCRIPT, str(folder / "lake"), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        megabytes, text = done.stdout.split()
        found.append((int(megabytes), int(text)))
    return found


def test_a_larger_lake_takes_no_more_memory(measured: list[tuple[int, int]]) -> None:
    (small, _), (large, text) = measured
    assert text > 150
    assert large < small + 48
