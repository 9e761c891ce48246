"""What a demo did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worldtape.pipelines.build import BuildReport
from worldtape.pipelines.curate import CurateReport
from worldtape.pipelines.demo._place import Place
from worldtape.pipelines.project import ProjectReport
from worldtape.pipelines.record import RecordReport

QUERY = (
    "SELECT domain, count(DISTINCT trajectory_id) AS trajectories, count(*) AS turns, "
    "count(*) FILTER (status <> 'ok') AS failed, round(median(duration_ms), 1) AS ms "
    "FROM transitions GROUP BY 1 ORDER BY 1"
)
"""The query that the demo shows."""


@dataclass(slots=True)
class DemoReport:
    """Every stage's own report."""

    place: Place
    lake: str
    project: ProjectReport
    curate: CurateReport
    builds: tuple[BuildReport, ...]
    answer: list[dict[str, Any]]
    """The rows that `QUERY` gave."""
    records: list[RecordReport] = field(default_factory=list)
    """Of each job; none for the domains whose shipped tapes were used."""

    def recorded(self) -> list[tuple[str, int, int, int, int, int]]:
        """Return a line for each job: name, items, those in the lake before, failed, solved, actions of this run."""
        return [
            (one.job, one.items, one.present, one.failed, one.present_solved + one.solved, one.steps)
            for one in self.records
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain JSON types."""
        place = {name: getattr(self.place, name) for name in ("kind", "image", "browser")}
        place |= {"missing": list(self.place.missing), "shipped": list(self.place.shipped)}
        return {
            "place": place,
            "lake": self.lake,
            "records": [record.to_dict() for record in self.records],
            "project": self.project.to_dict(),
            "curate": self.curate.to_dict(),
            "builds": [build.to_dict() for build in self.builds],
            "query": QUERY,
            "answer": self.answer,
        }
