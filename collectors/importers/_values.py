"""Values of other people's JSON, taken as what they should be or not at all."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.errors import FormatError
from worldtape.schemas import Action, Batch, Timing, Tool, canonical_json

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LARGEST = 1 << 62
_MILLIS = 1e11
_MICROS = 1e14
_DEEPEST = 100
_EXITS = range(-(1 << 31), 1 << 32)


def as_dict(value: Any) -> dict[str, Any]:
    """Return an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return a list, or an empty one."""
    return value if isinstance(value, list) else []


def as_str(value: Any) -> str | None:
    """Return a text that is not empty, or null."""
    return value if isinstance(value, str) and value else None


def as_int(value: Any) -> int | None:
    """Return an exit code or another small whole number, or null."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _EXITS else None


def as_float(value: Any) -> float | None:
    """Return a finite number, or null."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > _LARGEST:
        return None
    return float(value) if math.isfinite(value) else None


def too_deep(value: Any) -> bool:
    """Tell whether a value is nested deeper than what others can write."""
    layer = [value]
    for _ in range(_DEEPEST):
        layer = [item for node in layer if isinstance(node, (dict, list)) for item in _items(node)]
        if not layer:
            return False
    return True


def _items(node: dict[Any, Any] | list[Any]) -> Iterable[Any]:
    return node.values() if isinstance(node, dict) else node


def kept(fields: dict[str, Any], *without: str) -> dict[str, Any]:
    """Return the fields that are neither null nor in `without` nor nested too deep, for `extra`."""
    return {
        key: value for key, value in fields.items() if key not in without and value is not None and not too_deep(value)
    }


def text_of(content: Any) -> str | None:
    """Return the text of `null | str | list of parts`; a part that is no text stands as `[image]`, null: no content."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    return "".join(_part(part) for part in content) if isinstance(content, list) else None


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    fields = as_dict(part)
    if isinstance(fields.get("text"), str):
        return str(fields["text"])
    return f"[{as_str(fields.get('type')) or 'part'}]"


def micros(value: Any) -> int | None:
    """Return microseconds since 1970 UTC of an ISO time (no zone: UTC) or of epoch s, ms or µs; null: no time."""
    if isinstance(value, str):
        return _iso(value)
    number = as_float(value)
    if number is None or number <= 0:
        return None
    scale = 1 if number >= _MICROS else 1_000 if number >= _MILLIS else 1_000_000
    return round(number * scale)


def _iso(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text.strip())
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (aware - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        return None


def from_to(started_at: int | None, ended_at: int | None) -> Timing:
    """Return a timing; an end before the start is none."""
    return Timing(started_at=started_at, ended_at=None if (ended_at or 0) < (started_at or 0) else ended_at)


def tool_call(name: str, arguments: Any, *, raw: str | None = None, batch: Batch | None = None) -> Action:
    """Return a call of a tool.

    Args:
        name: of the tool.
        arguments: an object, or a text that is read as JSON where it is JSON.
        raw: the call verbatim, where the source has it; else the arguments' own text where it differs.
        batch: the model turn it came from, where that had several.

    Raises:
        FormatError: the arguments are nested too deep.
    """
    value = arguments
    if isinstance(arguments, str):
        try:
            value = parse(arguments.encode("utf-8", "surrogatepass"))
        except FormatError:
            value = arguments
    if too_deep(value):
        raise FormatError(f"arguments nested deeper than {_DEEPEST} levels")
    packed = canonical_json({} if value is None else value)
    own = arguments if isinstance(arguments, str) and arguments != packed else None
    text = canonical_json({"name": name, "arguments": {} if value is None else value})
    return Action(kind="tool_call", text=text, raw=raw or own, name=name, arguments=packed, batch=batch)


def tools_of(definitions: Any) -> tuple[Tool, ...]:
    """Return tools from definitions in OpenAI's shape (with or without `function` around them); others are left out."""
    found = []
    for item in as_list(definitions):
        tool = as_dict(as_dict(item).get("function")) or as_dict(item)
        name = as_str(tool.get("name"))
        if name is None:
            continue
        schema = tool.get("parameters") or tool.get("input_schema")
        shape = None if schema is None or too_deep(schema) else canonical_json(schema)
        found.append(Tool(name=name, description=as_str(tool.get("description")), input_schema=shape))
    return tuple(found)


def thoughts_of(**texts: Any) -> tuple[dict[str, Any], ...]:
    """Return the thoughts among `texts` that are not empty, one for each."""
    return tuple({key: text} for key, text in texts.items() if isinstance(text, str) and text.strip())
