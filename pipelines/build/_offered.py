"""The tools of a trajectory, as a system prompt lists them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import orjson

_NAMES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict", "null": "None"}

Tools = Sequence[dict[str, Any]]


def read_tools(text: str | None) -> Tools:
    """Return the tools of a trajectory, as its column `tools` holds them."""
    return list(orjson.loads(text)) if text else []


def tool_lines(tools: Tools) -> str:
    """Return a line of JSON for each tool: name, description, schema of the arguments; what is unknown is left out."""
    return "\n".join(json.dumps(_declared(tool), ensure_ascii=False) for tool in tools)


def call_lines(tools: Tools) -> str:
    """Return a line for each tool as a function in Python's notation, with what it does.

    The order of `required` is that of the arguments; a canonical schema has lost that of the others.
    """
    return "\n".join(_signature(tool) for tool in tools)


def _declared(tool: dict[str, Any]) -> dict[str, Any]:
    told = {"name": tool["name"], "description": tool.get("description"), "arguments": _schema(tool)}
    return {key: value for key, value in told.items() if value is not None}


def _schema(tool: dict[str, Any]) -> Any:
    text = tool.get("input_schema")
    return orjson.loads(text) if isinstance(text, str) and text else text


def _signature(tool: dict[str, Any]) -> str:
    schema = _schema(tool) or {}
    fields = schema.get("properties", {})
    needed = [name for name in schema.get("required", ()) if name in fields]
    words = [f"{name}: {_type(fields[name])}" for name in needed]
    words += [
        f"{name}: {_type(given)} = {_literal(given.get('default'))}"
        for name, given in fields.items()
        if name not in needed
    ]
    does = " ".join((tool.get("description") or "").split())
    return f"- `{tool['name']}({', '.join(words)})`" + (f": {does}" if does else "")


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(map(_literal, schema["enum"]))
    if "anyOf" in schema:
        return " | ".join(map(_type, schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array":
        return f"list[{_type(schema['items'])}]" if isinstance(schema.get("items"), dict) else "list"
    return _NAMES.get(str(kind), "dict" if "$ref" in schema else "object")


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
