"""What a filter is."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

from worldtape.schemas.settings import Settings

if TYPE_CHECKING:
    import polars as pl

Level = Literal["trajectory", "transition"]


class Filter(Settings):
    """A pure judgement over the turns of a part; its fields are its settings.

    The frame has one row per transition with the columns of `transitions`, `before_text` (the observation that stood
    before the action), `changed` (whether the environment says that its state changed, null where it says nothing)
    and, from `trajectories`, `end_status`, `initial_text` and `tools`; sorted by trajectory and step. A trajectory
    without transitions has one row whose `step` is null.
    """

    level: ClassVar[Level] = "transition"
    """`trajectory`: the expressions are constant over a trajectory."""
    reason: ClassVar[str]
    """What stands in the verdict of a rejected row; also the filter's name."""

    @abstractmethod
    def keep(self) -> pl.Expr:
        """Return a boolean expression: false rejects. Null counts as true."""

    def score(self) -> pl.Expr | None:
        """Return the number behind the verdict, if there is one."""
        return None
