"""Nested rows into Arrow, column by column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from worldtape.schemas import canonical_json
from worldtape.schemas.columns import Column, ColumnType, arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa

_Leaf = tuple[tuple[str, ...], Callable[[Any], None], Callable[[Any], Any] | None]


class Rows:
    """Collects nested rows (as `Transition.to_dict()` gives them) straight into columns: what `arrow_table` does, fast.

    Args:
        columns: of the table.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._schema = arrow_schema(columns)
        self._lists: list[list[Any]] = [[] for _ in columns]
        self._plan: dict[str, list[_Leaf]] = {}
        for column, cells in zip(columns, self._lists, strict=True):
            top, *rest = column.path.split(".")
            self._plan.setdefault(top, []).append((tuple(rest), cells.append, _CONVERT.get(column.type)))

    def add(self, row: dict[str, Any]) -> None:
        """Take one row."""
        for top, leaves in self._plan.items():
            whole = row.get(top)
            for path, append, convert in leaves:
                value = whole
                for key in path:
                    if value is None:
                        break
                    value = value.get(key)
                append(value if convert is None else convert(value))

    def batch(self) -> pa.RecordBatch:
        """Return the rows so far, and begin anew.

        Raises:
            pyarrow.ArrowInvalid: a value is not of its column's type (or `ArrowTypeError`).
        """
        import pyarrow as pa

        try:
            arrays = [pa.array(cells, type=kind) for cells, kind in zip(self._lists, self._schema.types, strict=True)]
            return pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        finally:
            self.clear()

    def clear(self) -> None:
        """Begin anew."""
        for cells in self._lists:
            cells.clear()


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
