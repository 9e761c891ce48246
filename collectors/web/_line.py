"""One line of JSON, whatever a page put into its texts."""

from __future__ import annotations

import json
from typing import Any

import orjson


def line_of(value: Any) -> bytes:
    """Return `value` as JSON and a line feed; half surrogate pairs, which no UTF-8 has, become U+FFFD."""
    try:
        return orjson.dumps(value) + b"\n"
    except TypeError:
        text = json.dumps(value, ensure_ascii=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode() + b"\n"


__all__ = ["line_of"]
