"""JSON that every reader of lines can split."""

from __future__ import annotations

import json
from typing import Any

import orjson

from worldtape.pipelines.importing._encode import escaped


def dump(value: Any) -> bytes:
    """Return JSON in ASCII with the keys in their order and integers of any size.

    ASCII, since many readers take U+2028 and its like for the end of a line.
    """
    try:
        return escaped(orjson.dumps(value))
    except TypeError:  # an integer beyond 64 bits
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
