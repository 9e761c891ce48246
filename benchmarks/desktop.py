"""How long does a desktop take to settle, and is it settled then?

    python benchmarks/desktop.py [--quick]

Real programs are acted upon; each observation is compared with the desktop two seconds later, which is how long other
recorders of desktops sleep after every action. Prints a table for people and, last, one JSON line; exits with 1 where a
bar does not hold. `--quick` does each action once, and needs a third of each bar.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import sys
import time
from importlib.metadata import version
from typing import Any

from worldtape.collectors.desktop import Desktop, DesktopConfig, Widget, widgets
from worldtape.collectors.recorder import Recorder
from worldtape.testing import ListTape

SLEEP_S = 2.0
EDITOR = (
    ("nothing", "pass"),
    ("type a line", "pyautogui.write('The quick brown fox\\n')"),
    ("open a menu", "click menu File"),
    ("close it", "pyautogui.press('esc')"),
    ("open a dialog", "pyautogui.hotkey('ctrl', 'o')"),
    ("leave it", "pyautogui.press('esc')"),
    ("save", "pyautogui.hotkey('ctrl', 's')"),
    ("edit", "pyautogui.write('unsaved')"),
    ("start a calculator", "import subprocess\nsubprocess.Popen(['galculator'])"),
    ("close the calculator", "pyautogui.hotkey('alt', 'f4')"),
    ("start a file manager", "import subprocess\nsubprocess.Popen(['thunar'])"),
    ("close the file manager", "pyautogui.hotkey('alt', 'f4')"),
    ("close without saving", "pyautogui.hotkey('ctrl', 'w')"),
    ("stay", "pyautogui.press('esc')"),
)
"""What is done, and its code."""


def code_of(step: str, tree: dict[str, Any]) -> str:
    """Return the code of a step; `click ROLE NAME` is looked up in the tree."""
    verb, _, rest = step.partition(" ")
    if verb != "click":
        return step
    role, _, name = rest.partition(" ")
    found: Widget = next(one for one in widgets(tree) if (one.role, one.name.strip()) == (role, name))
    return f"pyautogui.click{found.centre}"


async def measure(rounds: int) -> tuple[list[dict[str, Any]], float]:
    """Return one row for each action, and the seconds of the start."""
    rows = []
    begun = time.perf_counter()
    desktop = Desktop(DesktopConfig(programs=("mousepad notes.txt",), files={"notes.txt": "One line\n"}))
    async with Recorder(desktop, ListTape()) as recorder:
        start = time.perf_counter() - begun
        for _ in range(rounds):
            for what, step in EDITOR:
                began = time.perf_counter()
                await recorder.step(desktop.parse(code_of(step, desktop.tree)))
                took = time.perf_counter() - began
                result = recorder.last
                assert result.state_after is not None
                await recorder.step(f"time.sleep({SLEEP_S})")
                after = recorder.last.state_after
                assert after is not None
                rows.append(
                    {
                        "what": what,
                        "settle_ms": result.state_after["settle_ms"],
                        "walk_ms": result.state_after["walk_ms"],
                        "step_ms": 1000 * took,
                        "settled_by": str(result.observation.settled_by),
                        "same": after["tree"] == result.state_after["tree"],
                    }
                )
    return rows, start


def bars(figures: dict[str, float], *, short: bool) -> list[dict[str, object]]:
    """Return what must hold."""
    slack = 3 if short else 1
    settle, step = figures["settle, ms (median)"], figures["whole step, s (median)"]
    wanted = (
        ("settle time / the quiet that is waited for", settle / figures["quiet, ms"], 3.0 * slack),
        ("time of a step / of a sleep of two seconds", step / SLEEP_S, 0.5 * slack),
        ("share of observations that were too early", 1 - figures["same two seconds later, share"], 0.05 * slack),
    )
    return [
        {"what": what, "value": round(value, 3), "needed": needed, "holds": value <= needed}
        for what, value, needed in wanted
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="each action once, a third of each bar")
    short = parser.parse_args().quick
    print(f"worldtape {version('worldtape')}, Python {platform.python_version()}, {os.cpu_count()} CPUs")
    rows, start = asyncio.run(measure(1 if short else 3))
    print(f"{'action':26} {'settled by':10} {'settle, ms':>10} {'walk, ms':>10} {'step, ms':>10}  same after 2 s")
    for row in rows:
        same = "yes" if row["same"] else "NO"
        times = " ".join(f"{row[key]:10.0f}" for key in ("settle_ms", "walk_ms", "step_ms"))
        print(f"{row['what']:26} {row['settled_by']:10} {times}  {same}")
    figures = {
        "start, s": start,
        "quiet, ms": float(DesktopConfig().quiet_ms),
        "settle, ms (median)": statistics.median(row["settle_ms"] for row in rows),
        "settle, ms (most)": max(row["settle_ms"] for row in rows),
        "walk, ms (median)": statistics.median(row["walk_ms"] for row in rows),
        "whole step, s (median)": statistics.median(row["step_ms"] for row in rows) / 1000,
        "same two seconds later, share": sum(row["same"] for row in rows) / len(rows),
    }
    for name, value in figures.items():
        print(f"{name:50} {value:10.2f}")
    held = bars(figures, short=short)
    for bar in held:
        print(f"{'holds' if bar['holds'] else 'FAILS':6} {bar['what']:50} {bar['value']:10} needed {bar['needed']}")
    rounded = {name: round(value, 3) for name, value in figures.items()}
    print(json.dumps({"name": "desktop", "figures": rounded, "bars": held}))
    return 0 if all(bar["holds"] for bar in held) else 1


if __name__ == "__main__":
    sys.exit(main())
