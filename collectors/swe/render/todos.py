"""The list of things to do, as JSON text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

_ORDER = ("id", "content", "status", "activeForm")


def as_json(todos: Sequence[dict[str, Any]]) -> str:
    """Return the list as JSON without spaces, each entry's keys in the order of the tool's schema."""
    ordered = [{key: todo[key] for key in _ORDER if key in todo} for todo in todos]
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))


__all__ = ["as_json"]
