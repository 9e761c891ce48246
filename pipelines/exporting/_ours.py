"""What a format has no field for, under `worldtape`: see `worldtape.collectors.importers._ours`, which reads it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._ours import (
    KEYSTROKES,
    OBSERVED,
    TRAJECTORY_COLUMNS,
    TRANSITION_COLUMNS,
    VERSION,
    call_id,
    taken,
)
from worldtape.errors import FormatError
from worldtape.schemas import Action
from worldtape.schemas.columns import Column, ColumnType

Row = Mapping[str, Any]

LOSES = ("renderer", "renderer_version", "renderer_params", "parts", "extra")
"""Columns that `worldtape` cannot bring back either: an imported text is a text, rendered from nothing. What they said
stands in the `extra` of the imported row.
"""


def head(row: Row) -> dict[str, Any]:
    """Return what stands under `worldtape` for a trajectory: its columns that say something.

    Raises:
        FormatError: a JSON column is nested too deep.
    """
    return {"version": VERSION, "trajectory": _plain(TRAJECTORY_COLUMNS, row)}


def beside(row: Row, action: Action, content: str | None) -> dict[str, Any]:
    """Return what stands under `worldtape` for a transition: the columns that its own place does not tell.

    Args:
        row: of `transitions`.
        action: as a reader makes it of the call.
        content: the answer in the file; the text that was shown to the policy, where one was.

    Raises:
        FormatError: a JSON column is nested too deep.
    """
    told = taken(action, content)
    found = _plain(TRANSITION_COLUMNS, row)
    if "shown_text" in found:  # then `content` is that one, and the observation is told apart from it
        told["shown_text"] = content
        del told[OBSERVED]
    differs = {name: value for name, value in found.items() if value != told.get(name)}
    return {"step": row["step"]} | differs | {name: None for name in told if name not in found}


def key(row: Row) -> str:
    """Return the id of a transition's call, which its object under `worldtape` must fit."""
    return call_id(row["step"])


def answer(row: Row) -> str | None:
    """Return the text that a format of chats holds: what the policy saw, where that is known."""
    text: str | None = row["observation_text"] if row["shown_text"] is None else row["shown_text"]
    return text


def call(row: Row) -> tuple[str, dict[str, Any]]:
    """Return a transition's action as the name of a function and its arguments, an object in every case."""
    name = row["action_name"] or row["action_kind"]
    value = _parsed(row["arguments"])
    if isinstance(value, dict) and row["action_name"]:
        return name, value
    strokes = _parsed(row["action_text"]) if row["action_kind"] == KEYSTROKES else None
    if isinstance(strokes, list) and row["action_name"] is None:
        return KEYSTROKES, {KEYSTROKES: strokes}
    return name, {"text": row["action_text"]} if value is None else {"arguments": value}


def column(row: Row, name: str) -> Any:
    """Return what a JSON column holds; null where it holds nothing."""
    return _parsed(row[name])


def batches(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the transitions of each model turn: the calls of one batch that stand together, in order."""
    turns: list[list[Row]] = []
    latest: Any = None
    for row in rows:
        batch = column(row, "batch")
        name = None if batch is None or row["action_kind"] == "message" else batch.get("id")
        if name is not None and name == latest and batch["index"] > column(turns[-1][-1], "batch")["index"]:
            turns[-1].append(row)
        else:
            turns.append([row])
        latest = name
    return turns


def _plain(columns: Iterable[Column], row: Row) -> dict[str, Any]:
    found = {each.name: _value(each, row[each.name]) for each in columns}
    return {name: value for name, value in found.items() if value is not None}


def _value(column: Column, value: Any) -> Any:
    if column.type is ColumnType.JSON:
        return None if value is None else parse(value.encode())
    if column.type in (ColumnType.STRINGS, ColumnType.INTS, ColumnType.PARTS):
        return list(value) if value else None
    if column.type is ColumnType.FLOAT and value is not None and not math.isfinite(value):
        return None
    return value


def _parsed(text: str | None) -> Any:
    """Return a JSON text as a value, integers of any size included; null where it is none."""
    if text is None:
        return None
    try:
        return parse(text.encode())
    except FormatError:
        return None
