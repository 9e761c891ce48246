"""Asking a lake in SQL."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from worldtape.storage.lake._connect import connect
from worldtape.storage.lake._duckdb_errors import duckdb_boundary
from worldtape.storage.lake._lake import Lake
from worldtape.storage.lake._statements import check

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 10_000


def query(lake: Lake | str | os.PathLike[str], sql: str) -> pa.Table:
    """Return the rows of one SELECT, EXPLAIN, DESCRIBE, SHOW or SUMMARIZE as an Arrow table.

    Args:
        lake: a lake or where it lies.
        sql: over the views `trajectories`, `transitions`, `turns` and those of the notes.

    Raises:
        InputError: DuckDB cannot do it; the message has its hint.
        RefusedError: the statement would do more than read the lake.
        FormatError: a part is damaged; the message names it.
    """
    with query_batches(lake, sql) as reader:
        return reader.read_all()


@contextmanager
def query_batches(lake: Lake | str | os.PathLike[str], sql: str) -> Iterator[pa.RecordBatchReader]:
    """Give the rows of `query` batch by batch, for results that do not fit into memory."""
    lake = lake if isinstance(lake, Lake) else Lake.open(lake)
    with closing(connect(lake)) as connection, duckdb_boundary(lake):
        check(connection, sql)
        relation = connection.sql(sql)
        yield relation.to_arrow_reader(BATCH_ROWS)
