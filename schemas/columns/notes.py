"""The columns every note begins with, and those of verdicts."""

from worldtape.schemas.columns.column import Column
from worldtape.schemas.columns.column import ColumnType as T

NOTE_KEY: tuple[Column, ...] = (
    Column("trajectory_id", "trajectory_id", T.STRING, "the trajectory it speaks of"),
    Column("step", "step", T.INT, "the step, or null for the whole trajectory"),
)

VERDICTS: tuple[Column, ...] = (
    *NOTE_KEY,
    Column("stage", "stage", T.STRING, "the stage that judged"),
    Column("keep", "keep", T.BOOL, "false: it leaves the corpora"),
    Column("reason", "reason", T.STRING, "why it leaves; null when kept"),
    Column("score", "score", T.FLOAT, "the number behind the verdict, where there is one"),
    Column("evidence", "evidence", T.JSON, "what shows it: the id it repeats, the matching text"),
)
