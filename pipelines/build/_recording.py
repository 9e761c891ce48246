"""What stays of one trajectory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from worldtape.pipelines.build._turn import Turn


@dataclass(frozen=True, slots=True)
class Recording:
    """A trajectory of the wanted pool with the turns that stay, in order."""

    row: dict[str, Any]
    """Its row in `trajectories`."""
    split: str
    """`train` or `validation`."""
    turns: list[Turn]
    renderer: str
    """`name@version`; several are joined by a comma."""

    @property
    def trajectory_id(self) -> str:
        """The id of the trajectory."""
        return str(self.row["trajectory_id"])

    @property
    def domain(self) -> str:
        """One of the seven."""
        return str(self.row["domain"])

    @property
    def parameters(self) -> dict[str, Any]:
        """The environment's settings: screen size, wait mode and so on."""
        text = self.row["environment"]
        return dict(orjson.loads(text).get("parameters") or {}) if text else {}

    @property
    def simulation_instruction(self) -> str | None:
        """The control instruction that holds for every turn; null where there is none, or faults come and go."""
        told = {turn.instruction for turn in self.turns}
        return told.pop() if len(told) == 1 else None
