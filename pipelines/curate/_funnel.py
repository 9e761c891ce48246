"""What came in, what stayed, and why the rest did not: every count adds up, or nothing is returned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from worldtape.errors import FormatError
from worldtape.pipelines._stage import Context
from worldtape.pipelines.curate._classes import CLASSES
from worldtape.pipelines.curate._duplicates import DUPLICATES
from worldtape.pipelines.curate._pools import POOLS
from worldtape.pipelines.curate._rules import RULES

if TYPE_CHECKING:
    import polars as pl

JUDGES = (RULES, DUPLICATES)
FUNNEL_FILE = "notes/funnel.json"


@dataclass(frozen=True, slots=True)
class FunnelLine:
    """One line: a level (`reason` null: what there is) or a loss (what left there, and why)."""

    stage: str
    reason: str | None
    trajectories: int
    transitions: int | None
    """Null for recordings, whose turns nobody has counted yet."""


@dataclass(frozen=True, slots=True)
class Funnel:
    """Recordings → trajectories and transitions → what the corpora may be built of."""

    lines: tuple[FunnelLine, ...]
    pools: dict[str, dict[str, int]]
    """Pool to trajectories and transitions that are kept."""

    def line(self, stage: str, reason: str | None = None) -> FunnelLine:
        """Return one line; a loss that did not happen has zeros."""
        found = [line for line in self.lines if (line.stage, line.reason) == (stage, reason)]
        return found[0] if found else FunnelLine(stage, reason, 0, 0)

    def rows(self) -> list[dict[str, Any]]:
        """Return the lines as plain dictionaries; losses are positive numbers."""
        return [asdict(line) for line in self.lines]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return {"lines": self.rows(), "pools": self.pools}


Counts = Counter[tuple[str, str | None, str]]
"""(stage, reason, `trajectories` or `transitions`) to how many."""


def count_part(context: Context) -> Counts:
    """Count one part, on a worker; only its notes are read."""
    import polars as pl

    notes = {stage: context.note(stage) for stage in JUDGES}
    keys = notes[RULES].select("trajectory_id", "step")
    heads = keys.filter(pl.col("step").is_null()).select("trajectory_id")
    turns = keys.filter(pl.col("step").is_not_null())
    counts: Counts = Counter()
    counts["projected", None, "trajectories"] += heads.height
    counts["projected", None, "transitions"] += turns.height
    for stage in JUDGES:
        heads, turns = _leave(stage, notes[stage], heads, turns, counts)
    bare = heads.join(turns.select("trajectory_id").unique(), on="trajectory_id", how="anti")
    counts["kept", "no_turn_left", "trajectories"] += bare.height
    heads = heads.join(bare, on="trajectory_id", how="anti")
    counts["kept", None, "trajectories"] += heads.height
    counts["kept", None, "transitions"] += turns.height
    pools = context.note(POOLS).select("trajectory_id", "pool")
    for name, frame in (("trajectories", heads), ("transitions", turns)):
        for pool, count in frame.join(pools, on="trajectory_id").group_by("pool").len().iter_rows():
            counts["pool", pool, name] += count
    classes = context.note(CLASSES).select("trajectory_id", "step", "class")
    for name, count in turns.join(classes, on=["trajectory_id", "step"]).group_by("class").len().iter_rows():
        counts["class", name, "transitions"] += count
    return counts


def _leave(
    stage: str, note: pl.DataFrame, heads: pl.DataFrame, turns: pl.DataFrame, counts: Counts
) -> tuple[pl.DataFrame, pl.DataFrame]:
    import polars as pl

    out = note.filter(~pl.col("keep")).select("trajectory_id", "step", "reason")
    whole = out.filter(pl.col("step").is_null()).drop("step")
    single = out.filter(pl.col("step").is_not_null())
    gone = heads.join(whole, on="trajectory_id")
    with_them = turns.join(whole, on="trajectory_id")
    rest = turns.join(whole, on="trajectory_id", how="anti")
    alone = rest.join(single, on=["trajectory_id", "step"])
    for name, frame in (("trajectories", gone), ("transitions", with_them), ("transitions", alone)):
        for reason, count in frame.group_by("reason").len().iter_rows():
            counts[stage, reason, name] += count
    return (
        heads.join(whole, on="trajectory_id", how="anti"),
        rest.join(single, on=["trajectory_id", "step"], how="anti"),
    )


def make_funnel(recordings: int, unprojected: dict[str, int], parts: Iterable[Counts]) -> Funnel:
    """Put the counts of all parts together.

    Args:
        recordings: in the lake.
        unprojected: reason to number of recordings that are in no table.
        parts: what `count_part` gave.

    Raises:
        FormatError: the sums do not add up: the lake was changed meanwhile.
    """
    total: Counts = Counter()
    for counts in parts:
        total.update(counts)
    lines = [FunnelLine("recorded", None, recordings, None)]
    lines += [FunnelLine("project", why, count, None) for why, count in sorted(unprojected.items()) if count]
    lines.append(_line(total, "projected", None))
    for stage in (*JUDGES, "kept"):
        reasons = sorted({why for (at, why, _) in total if at == stage and why is not None})
        losses = [_line(total, stage, why) for why in reasons]
        lines += [loss for loss in losses if loss.trajectories or loss.transitions]
    lines.append(_line(total, "kept", None))
    pools = sorted({str(pool) for (at, pool, _) in total if at == "pool"})
    dealt = {pool: {name: total["pool", pool, name] for name in ("trajectories", "transitions")} for pool in pools}
    funnel = Funnel(tuple(lines), dealt)
    _check(funnel)
    return funnel


def _line(total: Counts, stage: str, reason: str | None) -> FunnelLine:
    return FunnelLine(stage, reason, total[stage, reason, "trajectories"], total[stage, reason, "transitions"])


def _check(funnel: Funnel) -> None:
    recorded, projected, kept = (funnel.line(stage) for stage in ("recorded", "projected", "kept"))
    losses = [line for line in funnel.lines if line.reason is not None]
    early = sum(line.trajectories for line in losses if line.stage == "project")
    late = [line for line in losses if line.stage != "project"]
    sums = [
        (recorded.trajectories - early, projected.trajectories),
        (projected.trajectories - sum(line.trajectories for line in late), kept.trajectories),
        ((projected.transitions or 0) - sum(line.transitions or 0 for line in late), kept.transitions),
    ]
    sums += [
        (sum(pool[name] for pool in funnel.pools.values()), getattr(kept, name))
        for name in ("trajectories", "transitions")
    ]
    if any(one != other for one, other in sums):
        raise FormatError(f"the funnel does not add up: {sums}", fix="curate again when nobody else writes to the lake")
