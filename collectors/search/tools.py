"""The three tools: what they are called, what they take, and what is wrong with a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldtape.collectors.mcp.actions import tool_call
from worldtape.schemas import Action, Tool, canonical_json

MOST_QUERIES = 20
"""Queries of one call."""
_NEEDS = {
    "add": ("key", "value"),
    "update": ("key", "value"),
    "retrieve": ("key",),
    "retrieve_all": (),
    "remove": ("key",),
    "remove_all": (),
}
"""Action of the memory to the arguments that it needs."""
_TEXT = {"type": "string", "minLength": 1}
_SCHEMAS: dict[str, dict[str, Any]] = {
    "web_search": {
        "queries": {
            "type": "array",
            "items": _TEXT | {"description": "A search query."},
            "minItems": 1,
            "maxItems": MOST_QUERIES,
            "description": "The search queries; each is answered by its own list of results.",
        }
    },
    "web_extractor": {
        "url": _TEXT | {"format": "uri", "description": "The address of the page, as a result of web_search gives it."},
        "goal": {"type": "string", "description": "What is looked for on the page."},
    },
    "dict_memory": {
        "action": {"type": "string", "enum": list(_NEEDS), "description": "What to do with the memory."},
        "key": _TEXT | {"description": "The entry; not for retrieve_all and remove_all."},
        "value": {"type": "string", "description": "The text to keep; for add and update."},
    },
}
_REQUIRED = {"web_search": ["queries"], "web_extractor": ["url"], "dict_memory": ["action"]}
_TOLD = {
    "web_search": "Search the web. Each query gives numbered results with URL, title, snippet and date.",
    "web_extractor": "Open a page and return its content as Markdown.",
    "dict_memory": "Keep short texts under keys for the length of this session, and get them back.",
}


def declared(names: Sequence[str]) -> tuple[Tool, ...]:
    """Return the tools of these names, with their JSON schemas."""
    return tuple(
        Tool(name=name, description=_TOLD[name], input_schema=canonical_json(_schema(name)))
        for name in _SCHEMAS
        if name in names
    )


def fault_of(name: str, arguments: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the arguments of a call; None where nothing is."""
    fields = _SCHEMAS[name]
    for key in _REQUIRED[name]:
        if key not in arguments:
            return f"missing required argument '{key}'"
    for key, value in arguments.items():
        if key not in fields:
            return f"unexpected argument '{key}'"
        fault = _unfit(fields[key], value)
        if fault:
            return f"argument '{key}' {fault}"
    if name == "dict_memory":
        for key in _NEEDS[arguments["action"]]:
            if key not in arguments:
                return f"action '{arguments['action']}' needs the argument '{key}'"
    return None


def web_search(*queries: str) -> Action:
    """Return a search for `queries`."""
    return tool_call("web_search", {"queries": list(queries)})


def web_extractor(url: str, goal: str | None = None) -> Action:
    """Return the reading of a page."""
    return tool_call("web_extractor", {"url": url} | ({} if goal is None else {"goal": goal}))


def dict_memory(action: str, key: str | None = None, value: str | None = None) -> Action:
    """Return a use of the memory: `add`, `update`, `retrieve`, `retrieve_all`, `remove` or `remove_all`."""
    given = {"action": action, "key": key, "value": value}
    return tool_call("dict_memory", {name: item for name, item in given.items() if item is not None})


def _schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": _SCHEMAS[name],
        "required": _REQUIRED[name],
        "additionalProperties": False,
    }
    if name == "dict_memory":
        schema["allOf"] = [
            {"if": {"properties": {"action": {"const": action}}}, "then": {"required": list(needs)}}
            for action, needs in _NEEDS.items()
            if needs
        ]
    return schema


def _unfit(field: Mapping[str, Any], value: Any) -> str | None:
    if field["type"] == "array":
        return _unfit_list(field, value)
    if not isinstance(value, str):
        return "must be a string"
    if len(value.strip()) < field.get("minLength", 0):
        return "must not be empty"
    if "enum" in field and value not in field["enum"]:
        return f"must be one of: {', '.join(field['enum'])}"
    return None


def _unfit_list(field: Mapping[str, Any], value: Any) -> str | None:
    if not isinstance(value, list):
        return "must be a list of strings"
    if not value:
        return "must hold at least one query"
    if len(value) > field["maxItems"]:
        return f"must hold at most {field['maxItems']} queries"
    return next((f"item {i} {fault}" for i, item in enumerate(value) if (fault := _unfit(field["items"], item))), None)


__all__ = ["MOST_QUERIES", "declared", "dict_memory", "fault_of", "web_extractor", "web_search"]
