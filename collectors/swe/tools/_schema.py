"""JSON schemas of tools, written shortly."""

from __future__ import annotations

from typing import Any

from worldtape.schemas import Tool, canonical_json

Field = dict[str, Any]


def text(told: str, **more: Any) -> Field:
    """Return the schema of a text."""
    return {"type": "string", "description": told} | more


def number(told: str, **more: Any) -> Field:
    """Return the schema of a number."""
    return {"type": "number", "description": told} | more


def flag(told: str) -> Field:
    """Return the schema of a yes or no."""
    return {"type": "boolean", "description": told}


def items(told: str, entry: Field, **more: Any) -> Field:
    """Return the schema of a list."""
    return {"type": "array", "items": entry, "description": told} | more


def record(required: tuple[str, ...], **fields: Field) -> Field:
    """Return the schema of an object."""
    return {"type": "object", "properties": fields, "required": list(required), "additionalProperties": False}


def tool(name: str, told: str, schema: Field) -> Tool:
    """Return the declaration of a tool."""
    return Tool(name=name, description=told, input_schema=canonical_json(schema))


__all__ = ["Field", "flag", "items", "number", "record", "text", "tool"]
