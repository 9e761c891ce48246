"""Node's own runner: TAP (the default of Node 18 and 20 in a pipe) and `spec`; a test is `suite > name`."""

from __future__ import annotations

import re

from worldtape.collectors.swe.results.suite_run import SuiteRun
from worldtape.collectors.swe.results.text import indent

_TAP = re.compile(r" *(?P<word>ok|not ok) \d+ - (?P<name>.*?)(?: # (?P<why>SKIP|TODO)\b.*)?")
_SUBTEST = re.compile(r" *# Subtest: (?P<name>.*)")
_SPEC = re.compile(r" *(?P<mark>[✔✖﹣]) (?P<name>.+) \([\d.]+ms\)(?: # (?P<why>.*))?")
_SUITE = re.compile(r" *▶ (?P<name>.+?)(?: \([\d.]+ms\))?")
_TOTAL = re.compile(r"[#ℹ] (?P<what>tests|pass|fail|cancelled|skipped|todo) (?P<number>\d+)")
_COUNTED = {"pass": "passed", "fail": "failed", "cancelled": "errors", "skipped": "skipped", "todo": "skipped"}
_MARKS = {"✔": "passed", "✖": "failed", "﹣": "skipped"}
_AGAIN = "✖ failing tests:"
_ENDS_BY_DURATION = re.compile(r"[#ℹ] duration_ms [\d.]+")


def parse(lines: list[str]) -> SuiteRun:
    """Read the output of `node --test`."""
    run, totals = SuiteRun("node"), list[tuple[str, int]]()
    for line in lines:
        if (found := _TOTAL.fullmatch(line)) and found["what"] in _COUNTED:
            totals.append((_COUNTED[found["what"]], int(found["number"])))
        run.whole = run.whole or (bool(totals) and bool(_ENDS_BY_DURATION.fullmatch(line)))
    if any(line.startswith("TAP version") for line in lines):
        _read_tap(run, lines)
    elif totals or any(_SPEC.fullmatch(line) for line in lines):
        _read_spec(run, lines)
    if totals:
        run.count(totals)
    return run


def _read_tap(run: SuiteRun, lines: list[str]) -> None:
    """Results of subtests come before those of what holds them."""
    path, deepest = list[tuple[int, str]](), -1
    for line in lines:
        if found := _SUBTEST.fullmatch(line):
            depth = indent(line)
            path = [(at, name) for at, name in path if at < depth] + [(depth, found["name"])]
        elif found := _TAP.fullmatch(line):
            depth = indent(line)
            above = [name for at, name in path if at < depth]
            if deepest <= depth:
                outcome = "skipped" if found["why"] else "passed" if found["word"] == "ok" else "failed"
                run.add(outcome, " > ".join([*above, found["name"]]))
            deepest = depth


def _read_spec(run: SuiteRun, lines: list[str]) -> None:
    path, deepest = list[tuple[int, str]](), -1
    for line in lines:
        if line == _AGAIN:
            return
        if found := _SUITE.fullmatch(line):
            depth = indent(line)
            path = [(at, name) for at, name in path if at < depth] + [(depth, found["name"])]
        elif found := _SPEC.fullmatch(line):
            depth = indent(line)
            if deepest <= depth:
                outcome = "skipped" if found["why"] is not None else _MARKS[found["mark"]]
                run.add(outcome, " > ".join([name for at, name in path if at < depth] + [found["name"]]))
            deepest = depth
