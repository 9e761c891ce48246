"""Tables as Parquet files: always the same settings, so that the same rows give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldtape.errors import InputError
from worldtape.schemas.columns import TRAJECTORIES, TRANSITIONS, Column, arrow_schema
from worldtape.storage.lake._rows import row_bytes, row_groups

if TYPE_CHECKING:
    import pyarrow as pa

ROW_GROUP_BYTES = 64 << 20
"""Uncompressed bytes of a row group; only a single row may be larger."""

COLUMNS: dict[str, tuple[Column, ...]] = {"trajectories": TRAJECTORIES, "transitions": TRANSITIONS}
_SORT = {"trajectories": ("trajectory_id",), "transitions": ("trajectory_id", "step")}
_WIDE = frozenset(
    [
        "transition_id",
        "action_text",
        "action_raw",
        "arguments",
        "observation_text",
        "shown_text",
        "state_before",
        "state_after",
        "extra",
        "environment",
        "tools",
        "initial_text",
        "initial_state",
        "initial_probes",
        "instruction",
        "reference",
        "tape",
        "evidence",
    ]
)


def table_schema(table: str) -> pa.Schema:
    """Return the schema of a table's files.

    `domain` alone is a plain `string`: it is a folder as well, and Arrow's readers (Dask among them) merge the two only
    if their types agree.
    """
    import pyarrow as pa

    schema = arrow_schema(COLUMNS[table])
    place = schema.get_field_index("domain")
    return schema.set(place, pa.field("domain", pa.string()))


def conform(table: str, rows: pa.Table, *, where: object) -> pa.Table:
    """Return `rows` with exactly the columns and types of `table`.

    Raises:
        InputError: a column is missing or unknown, or a value does not fit.
    """
    import pyarrow as pa

    schema = table_schema(table)
    missing, unknown = set(schema.names) - set(rows.column_names), set(rows.column_names) - set(schema.names)
    if missing or unknown:
        what = f"{table} lacks {sorted(missing)}" if missing else f"{table} has no column {sorted(unknown)}"
        raise InputError(what, where=where, fix="use worldtape.schemas.columns.arrow_table")
    try:
        return rows.select(schema.names).cast(schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"{table} does not fit its schema: {error}", where=where) from error


def widen(rows: pa.Table) -> pa.Table:
    """Return a note with `large_string` wherever it has text."""
    fields = [field.with_type(_wide(field.type)) for field in rows.schema]
    import pyarrow as pa

    metadata = {key: value for key, value in (rows.schema.metadata or {}).items() if key != b"pandas"}
    return rows.cast(pa.schema(fields, metadata=metadata or None))


def _wide(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_string(kind) or pa.types.is_string_view(kind) or pa.types.is_dictionary(kind):
        return pa.large_string()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_wide(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_wide(field.type)) for field in kind])
    if pa.types.is_null(kind):
        return pa.large_string()
    return kind


def sort_keys(table: str) -> Sequence[str]:
    """Return the columns by which a table's rows are sorted."""
    return _SORT.get(table, ("trajectory_id", "step"))


def write_parquet(path: Path, rows: pa.Table, *, keys: Sequence[str], limit: int = ROW_GROUP_BYTES) -> None:
    """Write `rows`, sorted by `keys`, in row groups of at most `limit` uncompressed bytes."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    order = pc.sort_indices(rows, sort_keys=[(key, "ascending") for key in keys])
    sizes = row_bytes(rows)[order.to_numpy()]
    with pq.ParquetWriter(path, rows.schema, **_settings(rows.schema)) as writer:
        for start, stop in row_groups(sizes, limit):
            group = rows.take(order.slice(start, stop - start)).combine_chunks()
            writer.write_table(group, row_group_size=stop - start)


def _settings(schema: pa.Schema) -> dict[str, Any]:
    import pyarrow as pa

    texts = [field.name for field in schema if pa.types.is_large_string(field.type) or pa.types.is_string(field.type)]
    return {
        "compression": "zstd",
        "compression_level": 3,
        "use_dictionary": [name for name in texts if name not in _WIDE],
        "write_page_index": True,
        "write_page_checksum": True,
        "version": "2.6",
    }
