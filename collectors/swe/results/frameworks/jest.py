"""Jest: lines of files, the tree of `--verbose`, headings of failures, the totals; a test is `file > suite > name`."""

from __future__ import annotations

import re

from worldtape.collectors.swe.results.suite_run import SuiteRun
from worldtape.collectors.swe.results.text import indent

_FILE = re.compile(r"(?P<word>PASS|FAIL) (?P<name>\S+\.\w+)(?: \([\d.]+ m?s\))?")
_TEST = re.compile(r" +(?P<mark>[✓✕○✎]) (?P<name>.+?)(?: \([\d.]+ m?s\))?")
_HEADING = re.compile(r"  ● (?P<name>.+)")
_SUITE_BROKEN = "Test suite failed to run"
_TOTAL = re.compile(r"Tests: +(?P<counts>.*\d+ total)")
_COUNT = re.compile(r"(\d+) (passed|failed|skipped|todo)")
_LIST = {"✓": "passed", "✕": "failed", "○": "skipped", "✎": "skipped"}
_WORDS = ("skipped ", "todo ")
_COUNTED = {"passed": "passed", "failed": "failed", "skipped": "skipped", "todo": "skipped"}


def parse(lines: list[str]) -> SuiteRun:
    """Read Jest's output."""
    run, file, path = SuiteRun("jest"), "", list[tuple[int, str]]()
    for line in lines:
        if found := _FILE.fullmatch(line):
            file, path = found["name"], []
        elif found := _TOTAL.fullmatch(line):
            run.count((_COUNTED[word], int(number)) for number, word in _COUNT.findall(found["counts"]))
            run.counts["errors"] = len(run.errors)
            run.whole = True
        elif not file:
            continue
        elif found := _TEST.fullmatch(line):
            name, mark = found["name"], found["mark"]
            for word in _WORDS:
                name = name.removeprefix(word) if _LIST[mark] == "skipped" else name
            run.add(_LIST[mark], " > ".join([file, *(one for at, one in path if at < indent(line)), name]))
        elif found := _HEADING.fullmatch(line):
            _put_heading(run, file, found["name"])
        elif line.strip() and indent(line) >= 2 and indent(line) % 2 == 0:  # noqa: PLR2004
            path = [(at, one) for at, one in path if at < indent(line)] + [(indent(line), line.strip())]
    return run


def _put_heading(run: SuiteRun, file: str, name: str) -> None:
    if name == _SUITE_BROKEN:
        run.add("errors", file)
    elif not name.startswith("Console"):
        run.add("failed", " > ".join([file, *name.split(" › ")]))
