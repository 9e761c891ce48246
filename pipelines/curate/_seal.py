"""The seal: what a whole curation leaves last, and what a build asks for first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import orjson

from worldtape.errors import InputError, NotFoundError
from worldtape.pipelines._stage import SEAL_FILE, Stages, hash_of, made_of

if TYPE_CHECKING:
    from worldtape.storage import Lake

_FIX = "run `worldtape curate` again"


@dataclass(frozen=True, slots=True)
class Seal:
    """The tables that were curated, and the notes that came of it."""

    commit: str
    """`Lake.commit()` of the tables."""
    stages: dict[str, str]
    """Stage to the hash of its code version and settings, for every stage that ran."""
    notes: str
    """Hash over (stage, part, settings, input) of every note."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return asdict(self)


def write_seal(stages: Stages) -> Seal:
    """Seal what has been curated: the last thing that curation writes."""
    lines = [[stage, part, *stages.made[stage, part]] for stage, part in sorted(stages.made)]
    settings = {stage: made[0] for (stage, _), made in sorted(stages.made.items())}
    seal = Seal(stages.commit, settings, hash_of(lines))
    stages.lake.store.write(SEAL_FILE, orjson.dumps(seal.to_dict(), option=orjson.OPT_INDENT_2) + b"\n")
    return seal


def read_seal(lake: Lake) -> Seal | None:
    """Return the seal of the last curation; null where none has come to its end since notes were last changed.

    Raises:
        InputError: this is no seal.
    """
    try:
        return Seal(**orjson.loads(lake.store.read(SEAL_FILE)))
    except NotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise InputError("this is no seal of a curation", where=lake.store.path(SEAL_FILE), fix=_FIX) from error


def check_curated(lake: Lake) -> Seal:
    """Return the seal of a lake whose tables and notes are exactly what one whole curation left.

    Raises:
        InputError: it was not curated, or not to the end, or has changed since: by a projection, a merge, a compaction,
            a take-down, or a hand.
    """
    seal = read_seal(lake)
    if seal is None:
        raise InputError("no curation of this lake has come to its end", where=lake, fix="run `worldtape curate` first")
    if seal.commit != lake.commit():
        raise InputError("the lake has changed since it was curated", where=lake, fix=_FIX)
    parts = sorted(part.part_id for part in lake.parts("trajectories"))
    if seal.notes != hash_of(_said(lake, sorted(seal.stages), parts)):
        raise InputError("the notes are not those of one whole curation", where=lake, fix=_FIX)
    return seal


def _said(lake: Lake, stages: Sequence[str], parts: Sequence[str]) -> list[list[str | None]]:
    return [[stage, part, *made_of(lake, stage, part)] for stage in stages for part in parts]
