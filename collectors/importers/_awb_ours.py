"""AgentWorldBench rows that Worldtape wrote: the rows of one trajectory are one trajectory again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from worldtape.collectors.importers import _ours
from worldtape.collectors.importers._chat import decoded
from worldtape.collectors.importers._values import as_dict, as_list
from worldtape.schemas import Imported, ImportedStep

Turns = Callable[[dict[str, Any]], list[tuple[str, str]]]
"""Gives (action, observation) of every turn of a row."""


class Rows:
    """The rows of one trajectory that stand one after the other; the last one holds all turns of those before it.

    Args:
        turns: takes a row apart.
    """

    def __init__(self, turns: Turns) -> None:
        self.locator: str | None = None
        """Of the last row; null: there is none yet."""
        self._turns = turns
        self._row: dict[str, Any] = {}
        self._told: dict[str, Any] = {}
        self._columns: dict[int, dict[str, Any]] = {}

    def add(self, locator: str, row: dict[str, Any], told: dict[str, Any]) -> bool:
        """Take a row; false: it is of another trajectory, and none was taken."""
        turn = row["turn_idx"]
        if self._row and (self._id(told) != self._id(self._told) or turn <= self._row["turn_idx"]):
            return False
        self._row, self._told, self.locator = row, told, locator
        own = [*as_list(told.get("unasked")), told.get("transition")]
        self._columns |= {turn - len(own) + number: as_dict(columns) for number, columns in enumerate(own)}
        return True

    def imported(self) -> Imported:
        """Return the trajectory of the rows so far.

        Raises:
            FormatError: what stands under `worldtape` cannot be.
        """
        return _ours.trajectory(self._told["trajectory"], self._steps(), self.locator or "")

    @staticmethod
    def _id(told: dict[str, Any]) -> Any:
        return told["trajectory"].get("trajectory_id")

    def _steps(self) -> Iterator[ImportedStep]:
        for number, (action, observation) in enumerate(self._turns(self._row)):
            columns = self._columns.get(number, {})
            yield _ours.step(_ours.typed(action), observation, columns, f"/prompt/{number}")


def told(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return what stands under `worldtape` of a row that is whole; null: nothing that is ours.

    Raises:
        VersionError: a newer Worldtape wrote it.
    """
    found = _ours.member(decoded(row.get(_ours.MEMBER)))
    turn = row.get("turn_idx")
    texts = (as_list(row.get("prompt")), as_list(row.get("response")), [row.get("current_prompt")] * bool(turn))
    whole = len(texts[0]) == len(texts[1]) == turn and all(isinstance(text, str) for each in texts for text in each)
    return found if whole and turn else None
