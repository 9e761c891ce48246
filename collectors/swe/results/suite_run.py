"""The result of one run of a test suite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

OUTCOMES = ("passed", "failed", "errors", "skipped")


@dataclass(slots=True)
class SuiteRun:
    """Tests by what became of them, named as their framework names them.

    A test stands in two lists where its framework says so: it passed, and its teardown erred. What is expected to fail
    and does is skipped.

    Attributes:
        framework: `pytest`, `unittest`, `go`, `cargo`, `node`, `jest`, `vitest`, `mocha`.
        passed: ids; only those that the output names (short reports name failures alone).
        failed: ids.
        errors: ids of tests, files or packages that could not run: set-up, import, build, a crash.
        skipped: ids.
        counts: how many of each the framework counted; null where it does not say.
        whole: the framework came to its own end: a summary stands there.
        timed_out: the framework ended the run for its time.
        begun: tests were found, whatever became of them.
    """

    framework: str
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    counts: dict[str, int | None] = field(default_factory=dict)
    whole: bool = False
    timed_out: bool = False
    begun: bool = False

    def add(self, outcome: str, name: str) -> None:
        """Put a test into the list of `outcome`, once."""
        names: list[str] = getattr(self, outcome)
        if name not in names:
            names.append(name)

    def count(self, pairs: Iterable[tuple[str, int]]) -> None:
        """Take the framework's own counts; an outcome that it leaves out is 0."""
        found = dict.fromkeys(OUTCOMES, 0)
        for outcome, number in pairs:
            found[outcome] += number
        self.counts = dict(found)

    @property
    def heard(self) -> bool:
        """True where anything was read."""
        return self.whole or self.timed_out or self.begun or any(getattr(self, outcome) for outcome in OUTCOMES)

    def named(self) -> dict[str, int | None]:
        """Return the counts; without the framework's own, those of the names."""
        return {outcome: self.counts.get(outcome, len(getattr(self, outcome))) for outcome in OUTCOMES}

    def state(self) -> dict[str, Any]:
        """Return it as JSON types."""
        lists = {outcome: list(getattr(self, outcome)) for outcome in OUTCOMES}
        return {"framework": self.framework, **lists, "counts": self.named()}


__all__ = ["OUTCOMES", "SuiteRun"]
