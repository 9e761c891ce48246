"""unittest of Python 3: verbose lines, the headings of failures, the last lines."""

from __future__ import annotations

import re

from worldtape.collectors.swe.results.suite_run import SuiteRun

_TEST = re.compile(r"(?P<method>\w+) \((?P<where>[\w.<>]+)\)(?P<sub>(?: \[.*\])?(?: \(.*\))?)")
_WORDS = r"(?P<word>ok|FAIL|ERROR|expected failure|unexpected success|skipped .*)"
_ON_LINE = re.compile(rf"(?P<head>.*?) ?\.\.\. {_WORDS}")
_ALONE = re.compile(rf"(?:.*?){_WORDS}")
_HEADING = re.compile(r"(?P<word>FAIL|ERROR|UNEXPECTED SUCCESS): (?P<head>.+)")
_LIST = {"ok": "passed", "FAIL": "failed", "ERROR": "errors", "expected failure": "skipped",
         "unexpected success": "failed", "UNEXPECTED SUCCESS": "failed"}  # fmt: skip
_RAN = re.compile(r"Ran (\d+) tests? in [\d.]+s")
_VERDICT = re.compile(r"(?:OK|FAILED|NO TESTS RAN)(?: \((?P<counts>[\w =,]+)\))?")
_COUNT = re.compile(r"([a-z ]+)=(\d+)")
_OPEN = " ..."
_FIXTURES = {"setUpClass", "tearDownClass", "setUpModule", "tearDownModule"}
_LOADER = "unittest.loader."


def parse(lines: list[str]) -> SuiteRun:
    """Read unittest's output."""
    run, pending, ran = SuiteRun("unittest"), "", None
    for place, line in enumerate(lines):
        if found := _RAN.fullmatch(line):
            ran = int(found[1])
        elif ran is not None and (found := _VERDICT.fullmatch(line)):
            _count(run, ran, found["counts"] or "")
        elif (found := _HEADING.fullmatch(line)) and place and _is_rule(lines[place - 1]):
            name = _name(found["head"])
            run.add(_LIST[found["word"]], name or found["head"])
        elif found := _ON_LINE.fullmatch(line.lstrip()):
            _put(run, found["word"], _name(found["head"]) or pending)
            pending = ""
        elif name := _name(line.removesuffix(_OPEN).strip()):
            pending = name
        elif pending and line.endswith(_OPEN) and not line.startswith(" "):
            continue
        elif pending and (found := _ALONE.fullmatch(line)) and ran is None and line in {"ok", "FAIL", "ERROR"}:
            _put(run, found["word"], pending)
            pending = ""
    _open_test(run, lines)
    return run


def _put(run: SuiteRun, word: str, name: str) -> None:
    if name:
        run.add("skipped" if word.startswith("skipped") else _LIST[word], name)


def _open_test(run: SuiteRun, lines: list[str]) -> None:
    """Where the run broke off within a test, that test is an error."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    if not run.whole and last.endswith(_OPEN) and (name := _name(last.removesuffix(_OPEN).strip())):
        run.add("errors", name)


def _name(head: str) -> str | None:
    """Return the dotted id of `method (where)`; before Python 3.11 `where` is the class alone."""
    found = _TEST.fullmatch(head)
    if found is None:
        return None
    method, where = found["method"], found["where"]
    where = where[where.index(_LOADER) + len(_LOADER) :] if _LOADER in where else where
    if "_FailedTest" in where:
        return where.removeprefix("_FailedTest.") if where.startswith("_FailedTest.") else method
    if method in _FIXTURES:
        return f"{where}.{method}"
    return where if where.endswith(f".{method}") else f"{where}.{method}"


def _is_rule(line: str) -> bool:
    return len(line) > 3 and set(line) == {"="}  # noqa: PLR2004


def _count(run: SuiteRun, ran: int, counts: str) -> None:
    told = {word.strip(): int(number) for word, number in _COUNT.findall(counts)}
    own = [name for name in run.errors if name.rsplit(".", 1)[-1] not in _FIXTURES]
    skipped = told.get("skipped", 0) + told.get("expected failures", 0)
    unexpected = told.get("unexpected successes", 0)
    failed = len(run.failed) or told.get("failures", 0) + unexpected
    passed = ran - len({*run.failed, *own}) - skipped - (unexpected if not run.failed else 0)
    run.count((("passed", max(0, passed)), ("failed", failed), ("errors", told.get("errors", 0)), ("skipped", skipped)))
    run.whole = True
