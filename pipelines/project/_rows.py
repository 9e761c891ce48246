"""Nested rows into Arrow, column by column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from worldtape.schemas import canonical_json
from worldtape.schemas.columns import Column, ColumnType, arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
_NOTHING: Row = {}


@dataclass(slots=True)
class _Node:
    """A member of the nested row: the columns that it is, and the members that it has."""

    columns: list[tuple[int, Callable[[Any], Any] | None]] = field(default_factory=list)
    members: dict[str, _Node] = field(default_factory=dict)


class Rows:
    """Makes Arrow of nested rows (as `Transition.to_dict()` gives them): what `arrow_table` does, a column at a time.

    Args:
        columns: of the table.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._schema = arrow_schema(columns)
        self._root = _Node()
        for place, column in enumerate(columns):
            node = self._root
            for key in column.path.split("."):
                node = node.members.setdefault(key, _Node())
            node.columns.append((place, _CONVERT.get(column.type)))

    def batch(self, rows: Sequence[Row]) -> pa.RecordBatch:
        """Return the rows as columns.

        Raises:
            Exception: a value does not fit its column, or stands where an object should (Arrow's and Python's own).
        """
        import pyarrow as pa

        arrays: list[Any] = [None] * len(self._schema)
        self._fill(self._root, rows, arrays)
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _fill(self, node: _Node, rows: Sequence[Row], arrays: list[Any]) -> None:
        import pyarrow as pa

        for key, member in node.members.items():
            cells = [row.get(key) for row in rows]
            for place, convert in member.columns:
                values = cells if convert is None else [convert(cell) for cell in cells]
                arrays[place] = pa.array(values, type=self._schema.types[place])
            if member.members:
                self._fill(member, [_NOTHING if cell is None else cell for cell in cells], arrays)


def _json(value: Any) -> str | None:
    return None if value is None or value == {} else canonical_json(value)


def _list(value: Any) -> list[Any]:
    return list(value or ())


_CONVERT: dict[ColumnType, Callable[[Any], Any]] = {
    ColumnType.JSON: _json,
    ColumnType.STRINGS: _list,
    ColumnType.INTS: _list,
    ColumnType.PARTS: _list,
}
