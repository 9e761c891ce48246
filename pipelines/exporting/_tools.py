"""The tools of an environment in OpenAI's shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldtape.collectors.importers._json import parse
from worldtape.collectors.importers._ours import KEYSTROKES
from worldtape.errors import FormatError
from worldtape.pipelines.exporting import _ours as ours

TYPING: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": KEYSTROKES,
        "description": "Type into the terminal; after each entry wait, then look at the screen.",
        "parameters": {
            "type": "object",
            "properties": {
                KEYSTROKES: {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "keystrokes": {"type": "string", "description": "Sent as they are."},
                            "duration": {"type": "number", "description": "Seconds to wait."},
                        },
                        "required": ["keystrokes"],
                    },
                }
            },
            "required": [KEYSTROKES],
        },
    },
}
"""What typing is, where a format knows calls of functions only."""


def definitions(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tools of a trajectory's environment; a terminal has `keystrokes`."""
    tools = ours.column(row, "tools") or []
    found = [_definition(tool) for tool in tools]
    return [*found, TYPING] if row["domain"] == "terminal" and not found else found


def _definition(tool: dict[str, Any]) -> dict[str, Any]:
    function = {"name": tool["name"], "parameters": _schema(tool.get("input_schema"))}
    if tool.get("description"):
        function["description"] = tool["description"]
    return {"type": "function", "function": function}


def _schema(text: str | None) -> Any:
    try:
        return {"type": "object"} if text is None else parse(text.encode())
    except FormatError:
        return {"type": "object"}
