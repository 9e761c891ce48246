"""Actions of a terminal: the recipe's array of keystrokes and waits, and a change of size."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldtape.errors import InputError
from worldtape.schemas import Action, canonical_json

MAX_WAIT_S = 3600.0
"""The longest wait of one element, seconds."""
_FORM = 'expected an array like [{"keystrokes": "ls\\n", "duration": 0.5}]'


@dataclass(frozen=True, slots=True)
class Stroke:
    """One element of an action: what is typed, and how long to wait then (None: as the wait mode says)."""

    keystrokes: str
    duration: float | None = None


def keystrokes(given: str | Sequence[Any]) -> Action | None:
    """Read an action of the recipe's form; `[]` means that there is nothing more to do and gives None.

    Args:
        given: the JSON text, or the array itself; elements are `{"keystrokes": str, "duration": seconds?}`, or plain
            strings in a Python list.

    Raises:
        InputError: it is not of this form.
    """
    strokes = parse(given)
    if not strokes:
        return None
    waits = [stroke.duration for stroke in strokes if stroke.duration is not None]
    value = [_plain(stroke) for stroke in strokes]
    text = json.dumps(value, ensure_ascii=False)
    raw = given if isinstance(given, str) and given != text else None
    return Action(
        kind="keystrokes", text=text, raw=raw, arguments=canonical_json(value), wait_s=sum(waits) if waits else None
    )


def as_json(given: Any) -> str:
    """Return anything as JSON; what JSON cannot hold becomes `{"python": "…"}`, which no action contains."""
    try:
        text = json.dumps(given, ensure_ascii=False, default=_foreign)
        return text if text.isprintable() else json.dumps(given, default=_foreign)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(_foreign(object.__repr__(given)))


def _foreign(value: Any) -> Any:
    if isinstance(value, Stroke):
        return _plain(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return list(value)
    return {"python": repr(value)}


def resize(cols: int, rows: int) -> Action:
    """Return the action that gives the terminal another size, in cells."""
    size = {"cols": cols, "rows": rows}
    return Action(kind="resize", text=json.dumps(size), name="resize", arguments=canonical_json(size), actor="harness")


def strokes_of(action: Action) -> tuple[Stroke, ...]:
    """Return the elements of an action of kind `keystrokes`.

    Raises:
        InputError: the action is not valid.
    """
    return parse(action.text if action.arguments is None else action.arguments)


def size_of(action: Action) -> tuple[int, int]:
    """Return columns and rows of an action of kind `resize`.

    Raises:
        InputError: the action is not valid.
    """
    value = _loads(action.arguments or action.text)
    sides = [value.get("cols"), value.get("rows")] if isinstance(value, dict) else []
    if not sides or not all(type(side) is int and 0 < side <= 1000 for side in sides):  # noqa: PLR2004
        raise InputError("a size needs cols and rows from 1 to 1000", where="resize")
    cols, rows = sides
    assert isinstance(cols, int)
    assert isinstance(rows, int)
    return cols, rows


def parse(given: str | Sequence[Any]) -> tuple[Stroke, ...]:
    """Return the elements of the recipe's array, checked.

    Raises:
        InputError: it is not of this form.
    """
    value = _loads(given) if isinstance(given, str) else given
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
        raise InputError("the action is not an array", fix=_FORM)
    return tuple(_stroke(index, item) for index, item in enumerate(value))


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the action is not JSON: {error}", fix=_FORM) from None


def _stroke(index: int, item: Any) -> Stroke:
    where = f"element {index}"
    if isinstance(item, Stroke):
        return item
    if isinstance(item, str):
        item = {"keystrokes": item}
    if not isinstance(item, Mapping) or not isinstance(item.get("keystrokes"), str):
        raise InputError("keystrokes is missing or not a string", where=where, fix=_FORM)
    unknown = sorted(map(str, item.keys() - {"keystrokes", "duration"}))
    if unknown:
        raise InputError(f"unknown key {unknown[0]!r}", where=where, fix=_FORM)
    if any("\ud800" <= char <= "\udfff" for char in item["keystrokes"]):
        raise InputError("keystrokes holds half a surrogate pair", where=where)
    return Stroke(item["keystrokes"], _duration(item.get("duration"), where))


def _duration(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError("duration is not a number of seconds", where=where, fix=_FORM)
    if not 0 <= value <= MAX_WAIT_S:
        raise InputError(f"duration is not between 0 and {MAX_WAIT_S:g} s", where=where)
    return float(value)


def _plain(stroke: Stroke) -> dict[str, Any]:
    value: dict[str, Any] = {"keystrokes": stroke.keystrokes}
    if stroke.duration is not None:
        whole = stroke.duration.is_integer()
        value["duration"] = int(stroke.duration) if whole else stroke.duration
    return value


__all__ = ["MAX_WAIT_S", "Stroke", "as_json", "keystrokes", "parse", "resize", "size_of", "strokes_of"]
