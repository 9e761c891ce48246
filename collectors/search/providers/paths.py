"""Results taken out of somebody's JSON."""

from __future__ import annotations

from typing import Any

from worldtape.collectors.mcp._json import clean
from worldtape.collectors.search.answers import Hit
from worldtape.collectors.search.config import Fields
from worldtape.schemas import canonical_json

ABSENT = object()


def at(path: str, value: Any) -> Any:
    """Return what stands at a dotted path (`a.b.0`), `ABSENT` where nothing does; the empty path is the value."""
    for part in path.split(".") if path else ():
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return ABSENT
    return value


def hits_at(path: str, fields: Fields, value: Any, count: int) -> tuple[Hit, ...] | None:
    """Return the results that stand at `path`; null or nothing there is none, something else is no answer (None)."""
    found = at(path, value)
    if found is ABSENT and path and not isinstance(value, dict):
        return None
    if found is None or found is ABSENT:
        return ()
    if not isinstance(found, list):
        return None
    return tuple(hit for item in found if (hit := _hit(fields, item)) is not None)[:count]


def filled(value: Any, **given: Any) -> Any:
    """Return JSON with `{name}` in its texts replaced; a text that is one name alone becomes the value itself."""
    if isinstance(value, dict):
        return {key: filled(item, **given) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, **given) for item in value]
    if not isinstance(value, str):
        return value
    if value.startswith("{") and value[1:-1] in given and value.endswith("}"):
        return given[value[1:-1]]
    pieces = value.split("{")
    for i, piece in enumerate(pieces[1:], 1):
        name, mark, rest = piece.partition("}")
        pieces[i] = f"{given[name]}{rest}" if mark and name in given else f"{{{piece}"
    return "".join(pieces)


def _hit(fields: Fields, item: Any) -> Hit | None:
    parts = {name: _text(at(path, item)) for name, path in fields.model_dump().items()}
    return Hit(**parts) if any(parts.values()) else None


def _text(value: Any) -> str | None:
    if value is ABSENT or value is None:
        return None
    return clean(value) if isinstance(value, str) else canonical_json(value)


__all__ = ["ABSENT", "at", "filled", "hits_at"]
