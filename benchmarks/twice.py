"""Which environments answer the same twice? Every task's own solution is played in two lakes, and the texts compared.

    python benchmarks/twice.py [--quick] [DOMAIN…]

A domain whose components are missing is named and left out. Prints a table for people, with what differed
first, and, last, one JSON line; exits with 1 where a bar does not hold. `--quick` plays two tasks of each domain.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from worldtape import project, query, record
from worldtape.errors import ComponentError, WorldtapeError
from worldtape.pipelines.record import JobConfig

LIGHT = {"screenshot": False, "html": False}
ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "terminal": {"kind": "terminal", "sandbox": "local"},
    "swe": {"kind": "swe"},
    "mcp": {"kind": "mcp", "server": "orders"},
    "search": {"kind": "search"},
    "web": {"kind": "web", "html": False, "screenshot": "none", "bodies": "none"},
    "android": {"kind": "android", **LIGHT},
    "os": {"kind": "desktop", "screenshot": "none"},
}
NEEDED = {"mcp": 1.0, "search": 1.0, "web": 1.0}
"""What is said to be deterministic (docs/domains.md): so large a share of the turns."""
SQL = """
SELECT domain, task_id, step, action_text, observation_text
FROM transitions JOIN trajectories USING (trajectory_id, domain) WHERE end_status = 'completed' ORDER BY ALL
"""
Turns = dict[tuple[str, int, str], str]


def played(domain: str, lake: Path, tasks: int | None) -> Turns:
    """Return the text of each turn of the tasks' own solutions."""
    job = JobConfig(name=f"twice-{domain}", environment=ENVIRONMENTS[domain], limit=tasks, workers=0, retries=0)
    report = record(job, lake)
    if report.failed:
        raise ComponentError(f"{report.failed} of {report.items} recordings failed", where=domain)
    project(lake, workers=0)
    rows = query(lake, SQL).to_pylist()
    return {(row["task_id"], row["step"], row["action_text"]): row["observation_text"] or "" for row in rows}


def difference(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return " / ".join(line[:70] for line in list(lines)[3:5])


def compared(domain: str, tasks: int | None) -> tuple[int, float, str]:
    """Return how many turns were played in both, the share that gave the same text, and the first difference."""
    with tempfile.TemporaryDirectory(prefix="twice-") as folder:
        first, second = (played(domain, Path(folder, name), tasks) for name in ("first", "second"))
    turns = [turn for turn in first if turn in second]
    other = [turn for turn in turns if first[turn] != second[turn]]
    told = difference(first[other[0]], second[other[0]]) if other else ""
    return len(turns), 1 - len(other) / len(turns) if turns else 0.0, told


def main() -> int:
    sys.path.remove(
        str(Path(__file__).resolve().parent)
    )  # or benchmarks/mcp.py would be taken for the SDK of that name
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("domains", nargs="*", choices=[[], *ENVIRONMENTS])
    asked = parser.parse_args()
    figures: dict[str, float] = {}
    for domain in asked.domains or ENVIRONMENTS:
        try:
            turns, share, told = compared(domain, 2 if asked.quick else 8)
        except WorldtapeError as error:
            print(f"{domain:<10} left out: {error}")
            continue
        figures |= {f"{domain}, turns": turns, f"{domain}, same": round(share, 4)}
        print(f"{domain:<10} {turns:5} turns, {share:7.1%} the same  {told}")
    bars = [
        {"what": f"{domain}, same", "value": figures[f"{domain}, same"], "needed": needed}
        | {"holds": figures[f"{domain}, same"] >= needed}
        for domain, needed in NEEDED.items()
        if f"{domain}, same" in figures
    ]
    print(json.dumps({"name": "twice", "figures": figures, "bars": bars}))
    return 0 if all(bar["holds"] for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
