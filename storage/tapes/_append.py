"""Putting the last words on a tape whose recorder is gone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from worldtape.schemas import End, EndStatus, EventKind
from worldtape.storage._disk import write_all
from worldtape.storage.tapes._line import encode, encode_value
from worldtape.storage.tapes._survey import Survey

REASON = "the recorder was stopped; sealed by worldtape recover"


def finish(fd: int, survey: Survey, notice: dict[str, Any]) -> None:
    """Append a `recovered` notice and an end with status `interrupted`, both at the time of the last event."""
    end = End(status=EndStatus.INTERRUPTED, reason=REASON, steps=survey.steps)
    seq, size = survey.count, survey.good
    try:
        if not survey.recovered:
            write_all(fd, _line(survey, seq, EventKind.NOTICE, {"code": "recovered"} | notice))
            seq += 1
        write_all(fd, _line(survey, seq, EventKind.END, end.to_dict()))
    except OSError:
        os.ftruncate(fd, size)
        raise


def _line(survey: Survey, seq: int, kind: str, data: Mapping[str, Any]) -> bytes:
    return encode(seq, kind, survey.wall, survey.mono, None, encode_value(data))
