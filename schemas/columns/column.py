"""One column of a table, as data."""

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
