"""Mocha: the tree of `spec`, headings of failures, the totals; a test is `suite > name`."""

from __future__ import annotations

import re

from worldtape.collectors.swe.results.suite_run import SuiteRun
from worldtape.collectors.swe.results.text import indent

_PASSED = re.compile(r" +[✔✓] (?P<name>.+?)(?: \(\d+m?s\))?")
_FAILED = re.compile(r" +\d+\) (?P<name>.+)")
_PENDING = re.compile(r" +- (?P<name>.+)")
_TOTAL = re.compile(r"  (?P<number>\d+) (?P<word>passing|failing|pending)(?: \(.+\))?")
_COUNTED = {"passing": "passed", "failing": "failed", "pending": "skipped"}
_HOOK = re.compile(r'"(?:before|after) (?:all|each)" hook')


def parse(lines: list[str]) -> SuiteRun:
    """Read Mocha's output; without its totals and its marks it is not Mocha's."""
    run, totals, path = SuiteRun("mocha"), list[tuple[str, int]](), list[tuple[int, str]]()
    for line in lines:
        if found := _TOTAL.fullmatch(line):
            totals.append((_COUNTED[found["word"]], int(found["number"])))
        elif totals or not line.startswith("  "):
            continue
        elif found := _PASSED.fullmatch(line) or _FAILED.fullmatch(line) or _PENDING.fullmatch(line):
            name = " > ".join([*(one for at, one in path if at < indent(line)), found["name"]])
            run.add(_outcome(found), name)
        else:
            path = [(at, one) for at, one in path if at < indent(line)] + [(indent(line), line.strip())]
    if not totals:
        return SuiteRun("mocha") if not run.passed else run
    if not any((run.passed, run.failed, run.errors, run.skipped)):
        _read_headings(run, lines)
    hooks = len(run.errors)
    run.count([*totals, ("failed", -hooks), ("errors", hooks)])
    run.whole = True
    return run


def _outcome(found: re.Match[str]) -> str:
    if found.re is _PASSED:
        return "passed"
    if found.re is _PENDING:
        return "skipped"
    return "errors" if _HOOK.match(found["name"]) else "failed"


def _read_headings(run: SuiteRun, lines: list[str]) -> None:
    """The reporters without a tree name only what failed, one level of the name a line."""
    name: list[str] = []
    for line in lines:
        if found := re.fullmatch(r"  \d+\) (?P<name>.+)", line):
            name = [found["name"]]
        elif name and line.strip() and indent(line) > 4:  # noqa: PLR2004
            name.append(line.strip())
        elif name and not line.strip():
            name = []
        if name and name[-1].endswith(":"):
            last = name[-1].removesuffix(":")
            run.add("errors" if _HOOK.match(last) else "failed", " > ".join([*name[:-1], last]))
            name = []
