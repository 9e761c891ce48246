"""`cargo test`: libtest's lines of each binary, doc tests, and builds that fail."""

from __future__ import annotations

import re

from worldtape.collectors.swe.results.suite_run import SuiteRun

_RESULT = re.compile(r"test (?P<name>.+?)(?: - should panic)? \.\.\. (?P<word>ok|FAILED|ignored)(?:, .*|: .*)?")
_BEGUN = re.compile(r"test (?P<name>\S+(?: - .+?)??)(?: - should panic)? \.\.\.(?: .*)?")
_QUIET = re.compile(r"(?P<name>\S+) --- FAILED")
_RUNNING = re.compile(r"running \d+ tests?")
_TOTAL = re.compile(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored; .*")
_BUILD = re.compile(r"error: could not compile `(?P<name>[^`]+)`.*")
_LIST = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}
_ORDER = ("passed", "failed", "skipped")


def parse(lines: list[str]) -> SuiteRun:
    """Read the output of `cargo test`; a name stands once, though two binaries may have it."""
    run, totals, running = SuiteRun("cargo"), list[tuple[str, int]](), 0
    for line in lines:
        if found := _TOTAL.fullmatch(line):
            totals += zip(_ORDER, map(int, found.groups()), strict=True)
            running -= 1
        elif _RUNNING.fullmatch(line):
            running += 1
        elif found := _BUILD.fullmatch(line):
            run.add("errors", found["name"])
            run.whole = True
    _read_tests(run, lines)
    if totals:
        run.count(totals)
        run.counts["errors"] = len(run.errors)
        run.whole = running <= 0
    return run


def _read_tests(run: SuiteRun, lines: list[str]) -> None:
    """Read names; what a test prints with `--nocapture` stands between its name and its result."""
    pending = ""
    for line in lines:
        if found := _RESULT.fullmatch(line):
            run.add(_LIST[found["word"]], found["name"])
            pending = ""
        elif found := _QUIET.fullmatch(line):
            run.add("failed", found["name"])
        elif found := _BEGUN.fullmatch(line):
            pending = found["name"]
        elif pending and line in _LIST:
            run.add(_LIST[line], pending)
            pending = ""
        elif _TOTAL.fullmatch(line):
            pending = ""
    if pending:
        run.add("errors", pending)
