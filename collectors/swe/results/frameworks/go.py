"""`go test`: plain, `-v` and `-json`; a test is `package.TestName/sub`."""

from __future__ import annotations

import json
import re

from worldtape.collectors.swe.results.suite_run import SuiteRun

_RESULT = re.compile(r" *--- (?P<word>PASS|FAIL|SKIP): (?P<name>.+) \([\d.]+s\)")
_PACKAGE = re.compile(r"(?P<word>ok|FAIL|\?|---)? *\t(?P<name>[^\s\[]+)(?:\t(?P<took>[\d.]+s|\(cached\)))?(?P<rest>.*)")
_BROKEN = re.compile(r"FAIL\t(?P<name>\S+) \[(?:build|setup) failed\]")
_RUN = re.compile(r"=== RUN +(?P<name>.+)")
_TIMEOUT = "panic: test timed out after "
_LIST = {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped", "pass": "passed", "fail": "failed", "skip": "skipped"}


def parse(lines: list[str]) -> SuiteRun:
    """Read the output of `go test`."""
    run = SuiteRun("go")
    told = [event for line in lines if line.startswith('{"') and (event := _event(line)) is not None]
    if told:
        _read_events(run, told)
        for found in filter(None, map(_BROKEN.fullmatch, lines)):
            run.add("errors", found["name"])
    else:
        _read_lines(run, lines)
    _settle(run)
    return run


def _read_lines(run: SuiteRun, lines: list[str]) -> None:
    begun, found = list[str](), list[tuple[str, str]]()
    for line in lines:
        if match := _RESULT.fullmatch(line):
            found.append((_LIST[match["word"]], match["name"]))
        elif match := _RUN.fullmatch(line):
            begun.append(match["name"])
        elif line.startswith(_TIMEOUT):
            run.timed_out = True
        elif match := _BROKEN.fullmatch(line):
            run.whole = True
            run.add("errors", match["name"])
        elif (match := _PACKAGE.fullmatch(line)) and match["word"] in {"ok", "FAIL", "?"}:
            run.whole = True
            _close(run, match["word"], match["name"], begun, found)
            if match["word"] == "ok" and not found and "[no tests to run]" not in match["rest"]:
                run.counts["passed"] = None
            begun, found = [], []
    if found or begun:
        _close(run, "FAIL", "", begun, found)


def _close(run: SuiteRun, word: str, package: str, begun: list[str], found: list[tuple[str, str]]) -> None:
    """Put the tests of one package where they belong; one that began and never ended is an error."""
    prefix = f"{package}." if package else ""
    for outcome, name in found:
        run.add(outcome, prefix + name)
    ended = {name for _, name in found}
    for name in begun:
        if name not in ended:
            run.add("errors", prefix + name)
    if word == "FAIL" and package and not begun and not any(outcome == "failed" for outcome, _ in found):
        run.add("errors", package)
    if word == "FAIL" and not begun:
        run.counts["passed"] = None


def _event(line: str) -> dict[str, str] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and isinstance(event.get("Action"), str) else None


def _read_events(run: SuiteRun, events: list[dict[str, str]]) -> None:
    open_tests, failed = dict[str, None](), set[str]()
    for event in events:
        package, test, action = event.get("Package", ""), event.get("Test"), event["Action"]
        name = f"{package}.{test}" if test else package
        if str(event.get("Output", "")).startswith(_TIMEOUT):
            run.timed_out = True
        if test and action == "run":
            open_tests[name] = None
        elif test and action in _LIST:
            open_tests.pop(name, None)
            run.add(_LIST[action], name)
            failed.update({package} if action == "fail" else ())
        elif action in {"pass", "fail", "skip"}:
            run.whole = True
            if action == "fail" and package not in failed and not any(t.startswith(f"{package}.") for t in open_tests):
                run.add("errors", package)
    for name in open_tests:
        run.add("errors", name)


def _settle(run: SuiteRun) -> None:
    """Only a verbose report names what passed; without one nobody knows how many did."""
    if "passed" in run.counts and run.passed:
        del run.counts["passed"]
