"""What curation did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worldtape.pipelines._stage import StageReport
from worldtape.pipelines.curate._funnel import Funnel


@dataclass
class CurateReport:
    """The funnel, and which stages had work to do."""

    funnel: Funnel
    stages: list[StageReport] = field(default_factory=list)
    """In order; `ran` counts the notes that were written, `kept` those that were there already."""
    classes: dict[str, int] = field(default_factory=dict)
    """Turn class to number of kept turns."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        stages = [{"stage": one.stage, "ran": one.ran, "kept": one.kept} for one in self.stages]
        return {"funnel": self.funnel.to_dict(), "classes": self.classes, "stages": stages}
