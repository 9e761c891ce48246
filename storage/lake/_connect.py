"""A lake as SQL views."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from worldtape.schemas.columns import NOTE_KEY, TRAJECTORIES, TRANSITIONS, Column, ColumnType
from worldtape.storage.lake._duckdb_errors import duckdb_boundary
from worldtape.storage.lake._lake import Lake
from worldtape.storage.lake._layout import SCHEME
from worldtape.storage.lake._part import Part

if TYPE_CHECKING:
    import duckdb

_PARTS = (
    "STRUCT(channel VARCHAR, media_type VARCHAR, text VARCHAR, blob VARCHAR, bytes BIGINT,"
    ' truncated STRUCT("by" VARCHAR, full_bytes BIGINT))[]'
)
_TYPES = {
    ColumnType.STRING: "VARCHAR",
    ColumnType.JSON: "VARCHAR",
    ColumnType.INT: "BIGINT",
    ColumnType.FLOAT: "DOUBLE",
    ColumnType.BOOL: "BOOLEAN",
    ColumnType.TIME: "TIMESTAMPTZ",
    ColumnType.STRINGS: "VARCHAR[]",
    ColumnType.INTS: "BIGINT[]",
    ColumnType.PARTS: _PARTS,
}
_TURNS = """
CREATE VIEW turns AS
SELECT t.*,
       CASE WHEN row_number() OVER w = 1 THEN j.initial_text ELSE lag(t.observation_text) OVER w END
           AS previous_observation,
       j.initial_text, j.initial_state, j.task_id, j.instruction, j.policy_kind, j.policy_model, j.end_status
FROM transitions t LEFT JOIN trajectories j USING (trajectory_id)
WINDOW w AS (PARTITION BY t.trajectory_id ORDER BY t.step)
"""
_LOCK = (
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET python_enable_replacements = false",
    "SET TimeZone = 'UTC'",
    "SET arrow_large_buffer_size = true",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


def connect(
    lake: Lake | str | os.PathLike[str], *, threads: int | None = None, memory_limit: str | None = None
) -> duckdb.DuckDBPyConnection:
    """Return a DuckDB connection in this process, with the lake's tables and notes as views.

    The views are `trajectories`, `transitions`, `turns` (each transition with the observation before it and its
    trajectory's task) and one per stage of notes; an empty lake has them too. They show the parts of this moment. The
    connection sees no other files, loads no extensions and cannot write; `register` takes Arrow tables and Polars
    frames.

    Args:
        lake: a lake or where it lies.
        threads: how many DuckDB may use; all cores by default.
        memory_limit: as DuckDB writes it (`4GB`); above it, it spills to the system's temporary folder.

    Raises:
        NotFoundError: there is no lake.
        FormatError: a part is damaged.
    """
    import duckdb

    from worldtape.storage.lake._window import Window

    lake = lake if isinstance(lake, Lake) else Lake.open(lake)
    tables = {"trajectories": lake.parts("trajectories"), "transitions": lake.parts("transitions")}
    notes = {stage: lake.note_parts(stage) for stage in lake.stages()}
    connection = duckdb.connect(":memory:")
    shown = [part for parts in (*tables.values(), *notes.values()) for part in parts]
    connection.register_filesystem(Window(lake.store, shown))
    spill = Path(tempfile.gettempdir()) / f"worldtape-sql-{os.getpid()}"
    connection.execute("SET temp_directory = ?", [str(spill)])
    if threads is not None:
        connection.execute("SET threads = ?", [threads])
    if memory_limit is not None:
        connection.execute("SET memory_limit = ?", [memory_limit])
    with duckdb_boundary(lake):
        _view(connection, "trajectories", TRAJECTORIES, tables["trajectories"])
        _view(connection, "transitions", TRANSITIONS, tables["transitions"])
        connection.execute(_TURNS)
        for stage, parts in notes.items():
            _view(connection, stage, NOTE_KEY, parts)
    connection.execute(f"SET allowed_directories = ['{SCHEME}://']")
    for line in _LOCK:
        connection.execute(line)
    return connection


def _view(connection: duckdb.DuckDBPyConnection, name: str, columns: Sequence[Column], parts: Sequence[Part]) -> None:
    nulls = ", ".join(f'CAST(NULL AS {_TYPES[column.type]}) AS "{column.name}"' for column in columns)
    query = f"SELECT {nulls} WHERE false"
    if parts:
        files = ", ".join(f"'{SCHEME}://{part.name}'" for part in parts)
        read = f"read_parquet([{files}], hive_partitioning = false, union_by_name = true)"
        query += f" UNION ALL BY NAME SELECT * FROM {read}"  # noqa: S608
    connection.execute(f'CREATE VIEW "{name}" AS {query}')
