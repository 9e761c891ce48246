"""The tables of the lake as data: what SQL users depend on."""

from worldtape.schemas.columns.arrow import arrow_schema, arrow_table
from worldtape.schemas.columns.column import Column, ColumnType, nested
from worldtape.schemas.columns.notes import NOTE_KEY, VERDICTS
from worldtape.schemas.columns.trajectories import TRAJECTORIES
from worldtape.schemas.columns.transitions import TRANSITIONS

__all__ = [
    "NOTE_KEY",
    "TRAJECTORIES",
    "TRANSITIONS",
    "VERDICTS",
    "Column",
    "ColumnType",
    "arrow_schema",
    "arrow_table",
    "nested",
]
