"""Which framework wrote an output, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Protocol

from worldtape.collectors.swe.results.command import ANY, runner
from worldtape.collectors.swe.results.suite_run import SuiteRun
from worldtape.collectors.swe.results.text import plain

FRAMEWORKS = ("pytest", "unittest", "go", "cargo", "node", "vitest", "jest", "mocha")
_MODULES = {"pytest": "python_pytest", "unittest": "python_unittest"}
_HERE = "worldtape.collectors.swe.results.frameworks"
_LONGEST = 8 << 20
"""Of an output, its last bytes are read: summaries stand at the end."""


class Ended(Protocol):
    """How a command ended; `Ran` of the box is one."""

    @property
    def out(self) -> bytes:
        """What it wrote to its standard output."""

    @property
    def err(self) -> bytes:
        """What it wrote to its standard error."""

    @property
    def code(self) -> int | None:
        """Its exit code."""

    @property
    def signal(self) -> int | None:
        """What ended it."""

    @property
    def timed_out(self) -> bool:
        """True where it was ended for its time."""


def read_results(command: str, ran: Ended, test_command: str | None = None) -> dict[str, Any] | None:
    """Return what tests a shell command ran; None where it ran none.

    Returns:
        `framework`; `passed`, `failed`, `errors`, `skipped`: lists of ids, those that the output names; `counts`: how
        many of each, null where nobody says; `ended`: `finished` (the framework's own summary stands there), `crashed`
        (tests ran, and no end of theirs was seen), `timed_out`, or `not_started` (not one test: a wrong option, no such
        file, a framework that is not installed).
    """
    name = runner(command, test_command)
    if name is None:
        return None
    run = _read(name, ran)
    if run is None:
        if name == ANY:
            return None
        run = SuiteRun(name)
    return run.state() | {"ended": _ended(run, ran)}


def parser(framework: str) -> Callable[[list[str]], SuiteRun]:
    """Return what reads the lines of a framework's output."""
    module = import_module(f"{_HERE}.{_MODULES.get(framework, framework)}")
    found: Callable[[list[str]], SuiteRun] = module.parse
    return found


def _read(name: str, ran: Ended) -> SuiteRun | None:
    lines = plain(ran.out[-_LONGEST:]) + plain(ran.err[-_LONGEST:])
    for framework in _order(name):
        run = parser(framework)(lines)
        if run.heard:
            return run
    return None


def _order(name: str) -> Iterator[str]:
    if name != ANY:
        yield name
    if name in {ANY, "node", "jest", "vitest", "mocha"}:
        yield from (framework for framework in FRAMEWORKS if framework != name)


def _ended(run: SuiteRun, ran: Ended) -> str:
    if ran.timed_out or run.timed_out or ran.code == 124:  # noqa: PLR2004 - what timeout(1) says
        return "timed_out"
    if run.whole and ran.signal is None:
        return "finished"
    return "crashed" if run.heard or ran.signal is not None or (ran.code or 0) > 128 else "not_started"  # noqa: PLR2004


__all__ = ["FRAMEWORKS", "read_results"]
