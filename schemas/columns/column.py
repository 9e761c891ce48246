"""One column of a table, as data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class ColumnType(StrEnum):
    """The closed list of types in the lake."""

    STRING = "string"
    """`large_string`."""
    JSON = "json"
    """Canonical JSON in a `large_string`; null where there is nothing."""
    INT = "int"
    """64 bits."""
    FLOAT = "float"
    """64 bits."""
    BOOL = "bool"
    TIME = "time"
    """Microseconds, UTC."""
    STRINGS = "strings"
    """A list of strings."""
    INTS = "ints"
    """A list of 64-bit integers."""
    PARTS = "parts"
    """A list of structs as in `Part`."""


@dataclass(frozen=True)
class Column:
    """A column: its name, where its value stands in the model, and its type."""

    name: str
    path: str
    """Dotted path in `Transition` or `Trajectory`."""
    type: ColumnType
    doc: str
    """One line for the docs."""

    def pick(self, row: dict[str, Any]) -> Any:
        """Return this column's value from a nested row; null where the path ends early."""
        value: Any = row
        for key in self.path.split("."):
            if value is None:
                return None
            value = value.get(key)
        return value


def nested(columns: Iterable[Column], row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a flat row at the paths of their columns: the inverse of `Column.pick`.

    Args:
        columns: of the table, none at a path that another one's leads through.
        row: by column name; columns that it does not have are left out.
    """
    whole: dict[str, Any] = {}
    for column in columns:
        if column.name in row:
            *way, last = column.path.split(".")
            place = whole
            for key in way:
                place = place.setdefault(key, {})
            place[last] = row[column.name]
    return whole
