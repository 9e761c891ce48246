"""A lake at a glance, and one trajectory turn by turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worldtape.errors import InputError, NotFoundError
from worldtape.storage.lake import _layout as layout
from worldtape.storage.lake._connect import connect
from worldtape.storage.lake._duckdb_errors import duckdb_boundary

if TYPE_CHECKING:
    from worldtape.storage.lake._lake import Lake

_COUNTS = """
SELECT domain, count(*) AS trajectories, CAST(sum(transitions) AS BIGINT) AS transitions,
       count(DISTINCT task_id) AS tasks, min(started_at) AS first, max(started_at) AS last
FROM trajectories GROUP BY domain ORDER BY domain
"""
_TURNS = """
SELECT step, action_kind, action_text, action_name, actor, wait_s, observation_text, settled_by, status, exit_code,
       exit_codes, error_type, error_message, duration_ms, started_at, lossiness
FROM transitions WHERE trajectory_id = ? ORDER BY step
"""


@dataclass(frozen=True)
class Summary:
    """What a lake holds."""

    lake: str
    domains: list[dict[str, Any]]
    """Per domain: trajectories, transitions, tasks, first and last start."""
    statuses: list[dict[str, Any]]
    """Per domain and status: transitions."""
    ends: list[dict[str, Any]]
    """Per domain and end status: trajectories."""
    notes: list[dict[str, Any]]
    """Per stage: rows."""
    tapes: int
    open_tapes: int
    """Being recorded, or interrupted."""
    unprojected: int
    """Tapes without a row in `trajectories`."""
    parts: int
    forgotten: int
    bytes: dict[str, int]
    """On disk, per folder."""


@dataclass(frozen=True)
class Recording:
    """One trajectory and its turns."""

    trajectory: dict[str, Any]
    turns: list[dict[str, Any]]


def summary(lake: Lake) -> Summary:
    """Return counts per domain, status and end, and what lies on disk."""
    tapes = list(lake.tapes())
    with duckdb_boundary(lake), connect(lake) as connection:

        def ask(sql: str) -> list[dict[str, Any]]:
            return list(connection.sql(sql).to_arrow_table().to_pylist())

        known = {row["trajectory_id"] for row in ask("SELECT trajectory_id FROM trajectories")}
        stages = [f"SELECT '{stage}' AS stage, count(*) AS rows FROM \"{stage}\"" for stage in lake.stages()]  # noqa: S608
        return Summary(
            lake=str(lake),
            domains=ask(_COUNTS),
            statuses=ask("SELECT domain, status, count(*) AS transitions FROM transitions GROUP BY ALL ORDER BY ALL"),
            ends=ask("SELECT domain, end_status, count(*) AS trajectories FROM trajectories GROUP BY ALL ORDER BY ALL"),
            notes=ask(" UNION ALL ".join(stages) + " ORDER BY 1") if stages else [],
            tapes=len(tapes),
            open_tapes=sum(not tape.sealed for tape in tapes),
            unprojected=sum(tape.trajectory_id not in known for tape in tapes),
            parts=len(lake.parts("trajectories")),
            forgotten=len(lake.forgotten()),
            bytes=_sizes(lake),
        )


def recording(lake: Lake, trajectory_id: str) -> Recording:
    """Return one trajectory with its turns.

    Args:
        lake: the lake.
        trajectory_id: the id, or enough of its beginning or end to tell it from all others.

    Raises:
        NotFoundError: the tables do not have it.
        InputError: several trajectories begin or end so.
    """
    with duckdb_boundary(lake), connect(lake) as connection:
        found = (
            connection.sql(
                "SELECT * FROM trajectories WHERE starts_with(trajectory_id, ?) OR ends_with(trajectory_id, ?) LIMIT 3",
                params=[trajectory_id, trajectory_id],
            )
            .to_arrow_table()
            .to_pylist()
        )
        exact = [row for row in found if row["trajectory_id"] == trajectory_id]
        if not found:
            raise _missing(lake, trajectory_id)
        if len(found) > 1 and not exact:
            raise InputError(
                f"several trajectories begin or end with {trajectory_id!r}", where=lake, fix="give more of it"
            )
        row = (exact or found)[0]
        turns = connection.sql(_TURNS, params=[row["trajectory_id"]]).to_arrow_table().to_pylist()
    return Recording(row, turns)


def _missing(lake: Lake, trajectory_id: str) -> NotFoundError:
    where = f"{lake}: {trajectory_id}"
    if lake.is_forgotten(trajectory_id):
        return NotFoundError("it was taken down", where=where)
    if any(tape.trajectory_id == trajectory_id for tape in lake.tapes()):
        return NotFoundError("it is recorded, but not in the tables yet", where=where, fix=f"worldtape project {lake}")
    return NotFoundError("no such trajectory", where=where, fix="`worldtape query` finds ids")


def _sizes(lake: Lake) -> dict[str, int]:
    sizes = dict.fromkeys((layout.TAPES, layout.BLOBS, *layout.TABLES, layout.NOTES), 0)
    for name in lake.store.names():
        folder = name.partition("/")[0]
        if folder in sizes:
            sizes[folder] += lake.store.size(name)
    return sizes
