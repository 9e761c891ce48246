"""The tools of a trajectory, as a system prompt lists them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeVar

import orjson

_NAMES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict", "null": "None"}

Tools = Sequence[dict[str, Any]]
Part = TypeVar("Part", dict[str, Any], list[Any])


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
    schema = _schema(tool)
    fields = _part(schema, "properties", dict)
    needed = [name for name in _part(schema, "required", list) if isinstance(name, str) and name in fields]
    words = [f"{name}: {_type(fields[name])}" for name in dict.fromkeys(needed)]
    words += [
        f"{name}: {_type(given)} = {_literal(given.get('default') if isinstance(given, dict) else None)}"
        for name, given in fields.items()
        if name not in needed
    ]
    does = " ".join((tool.get("description") or "").split())
    return f"- `{tool['name']}({', '.join(words)})`" + (f": {does}" if does else "")


def _part(schema: Any, key: str, kind: type[Part]) -> Part:
    """Return what a schema says there, if it is of that kind: schemas are somebody else's, and may be `true`."""
    found = schema.get(key) if isinstance(schema, dict) else None
    return found if isinstance(found, kind) else kind()


def _type(schema: Any) -> str:
    if chosen := _part(schema, "enum", list):
        return " | ".join(map(_literal, chosen))
    if ways := _part(schema, "anyOf", list):
        return " | ".join(map(_type, ways))
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind == "array":
        return f"list[{_type(schema['items'])}]" if isinstance(schema.get("items"), dict) else "list"
    return _NAMES.get(str(kind), "dict" if isinstance(schema, dict) and "$ref" in schema else "object")


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
