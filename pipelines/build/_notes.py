"""What curation said about one part of the lake."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from worldtape.errors import InputError, NotFoundError

if TYPE_CHECKING:
    import polars as pl

    from worldtape.storage import Lake
    from worldtape.storage.lake import Part

NEEDED = ("rules", "exact_duplicates", "turn_classes", "pools")
"""Stages without which nothing is built."""
FUNNEL = "notes/funnel.json"
FIRST = ("rules", "exact_duplicates")
"""Verdicts are asked in the order of curation; stages added later follow by name."""

Key = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class Notes:
    """Pools, verdicts and classes of a part."""

    pools: dict[str, tuple[str, str]]
    """Trajectory to (pool, split)."""
    reasons: dict[Key, str]
    """What leaves, to `<stage>: <reason>`; step null: the whole trajectory."""
    classes: dict[Key, tuple[str, float]]
    """Turn to (class, weight)."""

    def reason(self, trajectory_id: str, step: int) -> str | None:
        """Return why a transition leaves, or null."""
        return self.reasons.get((trajectory_id, None)) or self.reasons.get((trajectory_id, step))

    def pool(self, trajectory_id: str) -> tuple[str, str]:
        """Return the pool and the split of a trajectory.

        Raises:
            InputError: curation has not seen it.
        """
        try:
            return self.pools[trajectory_id]
        except KeyError:
            raise _stale(trajectory_id) from None

    def turn_class(self, trajectory_id: str, step: int) -> tuple[str, float]:
        """Return the class of a kept turn and its weight.

        Raises:
            InputError: curation has not seen it.
        """
        try:
            return self.classes[trajectory_id, step]
        except KeyError:
            raise _stale(f"{trajectory_id}:{step}") from None


def _stale(where: str) -> InputError:
    return InputError("the lake has changed since it was curated", where=where, fix="run `worldtape curate` again")


def by_part(lake: Lake) -> list[tuple[Part, Part, tuple[Part, ...]]]:
    """Return every part as (trajectories, transitions, notes), sorted.

    Raises:
        InputError: there is no part, or the lake was not curated as a whole, or has changed since.
    """
    from worldtape.pipelines._nothing import nothing_to
    from worldtape.pipelines._stage import pairs
    from worldtape.pipelines.curate import check_curated

    if not lake.parts("trajectories"):
        raise nothing_to("build", lake)
    check_curated(lake)
    notes = {stage: {part.part_id: part for part in lake.note_parts(stage)} for stage in _stages(lake)}
    found = []
    for pair in pairs(lake):
        mine = {stage: parts[pair.part_id] for stage, parts in notes.items() if pair.part_id in parts}
        if missing := [stage for stage in NEEDED if stage not in mine]:
            what = f"part {pair.part_id} has no note of {', '.join(missing)}"
            raise InputError(what, where=lake, fix="run `worldtape curate` first")
        found.append((pair.trajectories, pair.transitions, tuple(mine.values())))
    return found


def digest(lake: Lake) -> str:
    """Return the state of curation as one hash: SHA-256 over the names and bytes of the notes that count."""
    total = hashlib.sha256(_bytes(lake, FUNNEL))
    for stage in _stages(lake):
        for part in lake.note_parts(stage):
            found = hashlib.sha256(_bytes(lake, part.name)).hexdigest()
            total.update(f"{part.name} {found}\n".encode())
    return total.hexdigest()


def funnel(lake: Lake) -> list[dict[str, Any]]:
    """Return the lines of the funnel that curation left, or none."""
    text = _bytes(lake, FUNNEL)
    return list(orjson.loads(text)["lines"]) if text else []


def _stages(lake: Lake) -> list[str]:
    """Return the stages that are needed or judge (have a column `keep`), sorted."""
    return [stage for stage in lake.stages() if stage in NEEDED or "keep" in _columns(lake, stage)]


def _columns(lake: Lake, stage: str) -> list[str]:
    import pyarrow.parquet as pq

    for part in lake.note_parts(stage)[:1]:
        with lake.store.open(part.name) as file:
            return list(pq.read_schema(file).names)
    return []


def _bytes(lake: Lake, name: str) -> bytes:
    try:
        return lake.store.read(name)
    except NotFoundError:
        return b""


def read_notes(lake: Lake, parts: Sequence[Part]) -> Notes:
    """Read the notes of one part; a stage with a column `keep` is one that judges."""
    frames = {part.table: lake.read(part) for part in parts}
    reasons: dict[Key, str] = {}
    for stage in _in_order(frames):
        if "keep" in frames[stage].columns:
            for key, reason in _rejected(frames[stage]):
                reasons.setdefault(key, f"{stage}: {reason}")
    pools = frames["pools"].select("trajectory_id", "pool", "split")
    classes = frames["turn_classes"].select("trajectory_id", "step", "class", "weight")
    return Notes(
        pools={row[0]: (row[1], row[2]) for row in pools.iter_rows()},
        reasons=reasons,
        classes={(row[0], row[1]): (row[2], row[3]) for row in classes.iter_rows()},
    )


def _in_order(frames: dict[str, pl.DataFrame]) -> list[str]:
    return [*FIRST, *sorted(set(frames) - set(FIRST))]


def _rejected(frame: pl.DataFrame) -> list[tuple[Key, str]]:
    import polars as pl

    rows = frame.filter(~pl.col("keep")).select("trajectory_id", "step", "reason")
    return [((row[0], row[1]), row[2] or "rejected") for row in rows.iter_rows()]
