"""Lossiness codes that many formats share."""

from __future__ import annotations

from worldtape.schemas import Lossiness

LOGGED = (
    Lossiness.MERGED_STREAMS,
    Lossiness.NO_ENV_IMAGE,
    Lossiness.NO_EXIT_CODE,
    Lossiness.NO_INITIAL_STATE,
    Lossiness.NO_PROBES,
    Lossiness.NO_TIMESTAMPS,
    Lossiness.NO_TOOL_SCHEMAS,
    Lossiness.TAIL_MISSING,
)
"""What the log of an agent may lack: it is written for people and for the model's next turn."""


def clock(at: int | None) -> Lossiness:
    """Return what a time lacks that is known only by the clock on the wall, or not at all."""
    return Lossiness.NO_TIMESTAMPS if at is None else Lossiness.WALL_CLOCK_ONLY
