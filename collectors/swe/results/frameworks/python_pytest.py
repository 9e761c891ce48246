"""pytest 6 to 9: verbose lines, xdist's lines, rows of dots, the short summary, the last line."""

from __future__ import annotations

import re

from worldtape.collectors.swe.results.suite_run import SuiteRun

_LIST = {"PASSED": "passed", "XPASS": "passed", "FAILED": "failed", "SUBFAILED": "failed", "SUBFAIL": "failed",
         "ERROR": "errors", "SKIPPED": "skipped", "XFAIL": "skipped"}  # fmt: skip
_WORDS = "|".join(sorted(_LIST, key=len, reverse=True))
_ID = r"(?P<id>[^\s:]+\.\w+(?:::.+?)?)"
_VERBOSE = re.compile(rf"{_ID} (?P<word>{_WORDS})(?: \(.*\))?(?:\s+\[ *\d+%\])?")
_XDIST = re.compile(rf"\[gw\d+\] \[ *\d+%\] (?P<word>{_WORDS})(?:\([^)]*\))? (?P<id>\S+::.+)")
_SUMMARY = re.compile(rf"(?P<word>{_WORDS})(?:\([^)]*\))? (?P<id>[^\s:\[][^\s:]*\.\w+(?:::.*)?)")
_DOTS = re.compile(r"(?:\S+\.py )?(?P<dots>[.FEsxX]+)(?:\s+\[ *\d+%\])?(?:Fatal Python error: .*)?")
_DOT = {".": "passed", "F": "failed", "E": "errors", "s": "skipped", "x": "skipped", "X": "passed"}
_COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)\b")
_COUNTED = {"passed": "passed", "xpassed": "passed", "failed": "failed", "error": "errors", "errors": "errors",
            "skipped": "skipped", "xfailed": "skipped"}  # fmt: skip
_LAST = re.compile(r"(?:=+ )?(?:no tests ran|\d+ [a-z]+(?:, \d+ [a-z ]+)*) in [\d.]+s(?: \(.*\))?(?: =+)?")
_BEGUN = re.compile(rf"{_ID}(?: Fatal Python error: .*)?")
_COLLECTED = re.compile(r"(?:collecting \.\.\. )?collected [1-9]\d* items?\b.*")
_NO_TESTS = re.compile(r"(?:=+ )?no tests ran\b")
_HEAD = "short test summary info"


def parse(lines: list[str]) -> SuiteRun:
    """Read pytest's output."""
    run, dots, summary, ended = SuiteRun("pytest"), list[str](), False, False
    for line in lines:
        summary = summary or (_HEAD in line and line.startswith("="))
        if _LAST.fullmatch(line):
            ended, run.whole = True, run.whole or not _NO_TESTS.match(line)
            run.count((_COUNTED[word], int(number)) for number, word in _COUNT.findall(line) if word in _COUNTED)
            summary = False
        elif found := _XDIST.fullmatch(line) or _VERBOSE.fullmatch(line):
            run.add(_LIST[found["word"]], found["id"].strip())
        elif summary and (found := _SUMMARY.fullmatch(line)):
            run.add(_LIST[found["word"]], _without_message(found["id"]))
        elif found := _DOTS.fullmatch(line):
            dots.append(found["dots"])
    if not ended:
        _break_off(run, lines, "".join(dots))
    return run


def _break_off(run: SuiteRun, lines: list[str], dots: str) -> None:
    """Read a report without an end: the test that ran last is an error."""
    begun = [line for line in lines if _BEGUN.fullmatch(line) and "::" in line]
    named = {*run.passed, *run.failed, *run.errors, *run.skipped}
    run.begun = any(_COLLECTED.fullmatch(line) for line in lines)
    if begun and (name := begun[-1].partition(" Fatal Python error: ")[0]) not in named:
        run.add("errors", name)
    elif dots and not named:
        run.count((_DOT[dot], 1) for dot in dots)


def _without_message(text: str) -> str:
    """Return the id of `id - message`; a parameter of a test may hold ` - ` too."""
    place = 0
    while (place := text.find(" - ", place)) >= 0:
        if text.count("[", 0, place) <= text.count("]", 0, place):
            return text[:place]
        place += 1
    return text
