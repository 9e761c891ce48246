"""What the note `projection` says of one tape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worldtape.pipelines._stage import SETTINGS

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

STAGE = "projection"


@dataclass(frozen=True, slots=True)
class Member:
    """One tape of a part, and what became of it."""

    trajectory_id: str
    domain: str
    tape: str
    """The tape's name in the lake."""
    bytes: int
    """The tape's size; with its name, what the row was made of."""
    transitions: int = 0
    unknown: int = 0
    mismatched: int = 0
    interrupted: bool = False
    reason: str | None = None
    """Why it is not in the tables; null where it is."""


def to_note(members: list[Member], settings: str) -> pa.Table:
    """Return the rows of a part's note."""
    import pyarrow as pa

    types = {"trajectory_id": pa.large_string(), "step": pa.int64(), "domain": pa.large_string()}
    types |= {"tape": pa.large_string(), "bytes": pa.int64(), "transitions": pa.int64(), "unknown": pa.int64()}
    types |= {"mismatched": pa.int64(), "interrupted": pa.bool_(), "reason": pa.large_string()}
    rows: list[dict[str, Any]] = [
        {name: getattr(member, name, None) for name in types}
        for member in sorted(members, key=lambda m: m.trajectory_id)
    ]
    arrays = [pa.array([row[name] for row in rows], type=kind) for name, kind in types.items()]
    schema = pa.schema(list(types.items()), metadata={SETTINGS: settings.encode()})
    return pa.Table.from_arrays(arrays, schema=schema)


def from_note(rows: pl.DataFrame) -> list[Member]:
    """Return the members that a note names."""
    return [Member(**row) for row in rows.drop("step").iter_rows(named=True)]
