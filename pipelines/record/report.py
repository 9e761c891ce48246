"""What went in, what came out, and why the rest did not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from worldtape.pipelines.record.outcome import Outcome
from worldtape.pipelines.record.plan import Plan
from worldtape.schemas import EndStatus


@dataclass(slots=True)
class RecordReport:
    """The sums add up: `items` = `present` + `elsewhere` + all of `recorded` + `not_started`."""

    job: str
    lake: str
    items: int
    """Tasks × repeats."""
    present: int
    """Skipped: the lake had them."""
    present_solved: int
    """Of these: the verifier was satisfied."""
    present_failed: int
    """Of these: failed on our side, and the retries are used up."""
    elsewhere: int
    """Skipped: another process is recording them."""
    outcomes: list[Outcome] = field(default_factory=list)
    stopped: str | None = None
    """Why the run gave up before its end: the backend does not answer any more; the same command goes on."""
    interrupted: bool = False
    """Somebody stopped the run; the same command goes on with what is missing."""

    @classmethod
    def of(cls, job: str, lake: str, plan: Plan) -> RecordReport:
        """Return the report of a run that has not begun."""
        solved = sum(tape.reward == 1.0 for tape in plan.done.values())
        failed = sum(tape.state == EndStatus.FAILED for tape in plan.done.values())
        return cls(job, lake, plan.total, len(plan.done), solved, failed, len(plan.elsewhere))

    @property
    def recorded(self) -> dict[str, int]:
        """Items of this run by how they ended, every end status with its count."""
        found = Counter(outcome.status for outcome in self.outcomes)
        return {str(status): found[str(status)] for status in EndStatus}

    @property
    def not_started(self) -> int:
        """Items that this run was stopped before, or in the middle of."""
        return self.items - self.present - self.elsewhere - len(self.outcomes)

    @property
    def failed(self) -> int:
        """Items of this run that failed on our side."""
        return self.recorded[EndStatus.FAILED]

    @property
    def solved(self) -> int:
        """Items of this run whose verifier was satisfied."""
        return sum(outcome.reward == 1.0 for outcome in self.outcomes)

    @property
    def judged(self) -> int:
        """Items of this run that a verifier looked at."""
        return sum(outcome.reward is not None for outcome in self.outcomes)

    @property
    def unjudged(self) -> int:
        """Items of this run whose verifier hung, could not run or does not exist."""
        return sum(outcome.unjudged for outcome in self.outcomes)

    @property
    def retried(self) -> int:
        """Further attempts after failures."""
        return sum(max(0, outcome.attempts - 1) for outcome in self.outcomes)

    @property
    def steps(self) -> int:
        """Actions of this run's last attempts."""
        return sum(outcome.steps for outcome in self.outcomes)

    @property
    def reasons(self) -> dict[str, int]:
        """Why items failed, with counts, the most frequent first."""
        failed = Counter(o.reason or "unknown" for o in self.outcomes if o.status == EndStatus.FAILED)
        return dict(failed.most_common())

    @property
    def workers(self) -> dict[str, int]:
        """How many items each process recorded."""
        return dict(Counter(outcome.worker for outcome in self.outcomes if outcome.worker))

    def rows(self) -> list[tuple[str, int]]:
        """Return the lines of the table."""
        table = [("items (tasks × repeats)", self.items), ("skipped: in the lake already", self.present)]
        table += [("  of these solved", self.present_solved)] if self.present else []
        table += [("  of these failed for good", self.present_failed)] if self.present_failed else []
        table += [("skipped: another process records them", self.elsewhere)] if self.elsewhere else []
        table += [(f"recorded: {name}", count) for name, count in self.recorded.items() if count]
        table += [(f"  failed: {reason}", count) for reason, count in self.reasons.items()]
        table += [("not done: the run was stopped", self.not_started)] if self.not_started else []
        table += [("further attempts after a failure", self.retried)] if self.retried else []
        table += [("verifier gave no verdict", self.unjudged)] if self.unjudged else []
        if not self.outcomes:
            return table
        return [*table, (f"solved, of {self.judged} judged by a verifier", self.solved), ("actions", self.steps)]

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain JSON types."""
        names = ["job", "lake", "items", "present", "present_solved", "present_failed", "elsewhere", "recorded"]
        names += [
            "not_started",
            "stopped",
            "interrupted",
            "retried",
            "judged",
            "unjudged",
            "solved",
            "steps",
            "reasons",
            "workers",
        ]
        return {name: getattr(self, name) for name in names}
