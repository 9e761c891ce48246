"""Vitest 1 to 3: lines of files and of tests, headings of failures, the totals; a test is `file > suite > name`."""

from __future__ import annotations

import re

from worldtape.collectors.swe.results.suite_run import SuiteRun

_TEST = re.compile(r" +(?P<mark>[✓×↓]) (?:\|\S+\| )?(?P<name>\S+\.\w+ > .+?)(?: \d+ms)?(?: \[skipped\])?")
_FAILED = re.compile(r" FAIL  (?:\|\S+\| )?(?P<name>\S+\.\w+(?: > .+)?)")
_BROKEN = re.compile(r" FAIL  (?:\|\S+\| )?(?P<name>\S+\.\w+) \[ .+ \]")
_TOTAL = re.compile(r" +Tests  (?P<counts>.+?)(?: \(\d+\))?")
_NO_TESTS = re.compile(r" +Tests  no tests")
_COUNT = re.compile(r"(\d+) (passed|failed|skipped|todo)")
_LIST = {"✓": "passed", "×": "failed", "↓": "skipped"}
_COUNTED = {"passed": "passed", "failed": "failed", "skipped": "skipped", "todo": "skipped"}


def parse(lines: list[str]) -> SuiteRun:
    """Read Vitest's output."""
    run = SuiteRun("vitest")
    for line in lines:
        if found := _BROKEN.fullmatch(line):
            run.add("errors", found["name"])
        elif found := _FAILED.fullmatch(line):
            run.add("failed" if " > " in found["name"] else "errors", found["name"])
        elif found := _TEST.fullmatch(line):
            run.add(_LIST[found["mark"]], found["name"])
        elif _NO_TESTS.fullmatch(line) or ((found := _TOTAL.fullmatch(line)) and _COUNT.search(found["counts"])):
            run.count((_COUNTED[word], int(number)) for number, word in _COUNT.findall(line))
            run.counts["errors"] = len(run.errors)
            run.whole = True
    return run
