"""Columns as an Arrow schema, and nested rows as Arrow tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from worldtape.schemas.canonical import canonical_json
from worldtape.schemas.columns.column import Column, ColumnType

if TYPE_CHECKING:
    import pyarrow as pa


def _arrow_type(kind: ColumnType) -> pa.DataType:
    import pyarrow as pa

    text = pa.large_string()
    truncation = pa.struct([("by", text), ("full_bytes", pa.int64())])
    part = [("channel", text), ("media_type", text), ("text", text), ("blob", text), ("bytes", pa.int64())]
    types = {
        ColumnType.STRING: text,
        ColumnType.JSON: text,
        ColumnType.INT: pa.int64(),
        ColumnType.FLOAT: pa.float64(),
        ColumnType.BOOL: pa.bool_(),
        ColumnType.TIME: pa.timestamp("us", tz="UTC"),
        ColumnType.STRINGS: pa.list_(text),
        ColumnType.INTS: pa.list_(pa.int64()),
        ColumnType.PARTS: pa.list_(pa.struct([*part, ("truncated", truncation)])),
    }
    return types[kind]


def arrow_schema(columns: Sequence[Column]) -> pa.Schema:
    """Return the explicit Arrow schema of `columns`."""
    import pyarrow as pa

    return pa.schema([(column.name, _arrow_type(column.type)) for column in columns])


def arrow_table(columns: Sequence[Column], rows: Iterable[dict[str, Any]]) -> pa.Table:
    """Return nested rows (as `Transition.to_dict()` gives them) as one Arrow table."""
    import pyarrow as pa

    rows = list(rows)
    arrays = [pa.array([_cell(column, row) for row in rows], type=_arrow_type(column.type)) for column in columns]
    return pa.Table.from_arrays(arrays, schema=arrow_schema(columns))


def _cell(column: Column, row: dict[str, Any]) -> Any:
    value = column.pick(row)
    if column.type is ColumnType.JSON:
        return None if value is None or value == {} else canonical_json(value)
    if column.type in (ColumnType.STRINGS, ColumnType.INTS, ColumnType.PARTS):
        return list(value or ())
    return value
