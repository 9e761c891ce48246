"""What is wrong with the arguments of a call, in the words of the family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worldtape.schemas import canonical_json

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}
Fault = tuple[str, str, Any]
"""Where (`offset`, `todos/0/status`), what is wrong (`missing`, `unknown`, or a key of the schema), and its value."""


def faults(schema: Mapping[str, Any], value: Any, where: str = "") -> Iterator[Fault]:
    """Give what in `value` is against `schema`, in the order of the schema."""
    kind = schema["type"]
    if isinstance(value, bool) is not (kind == "boolean") or not isinstance(value, _TYPES[kind]):
        yield where, "type", kind
    elif kind == "object":
        yield from _object(schema, value, where)
    elif kind == "array":
        yield from _array(schema, value, where)
    else:
        yield from _plain(schema, value, where)


def _array(schema: Mapping[str, Any], value: Any, where: str) -> Iterator[Fault]:
    if len(value) < schema.get("minItems", 0):
        yield where, "minItems", schema["minItems"]
    for index, item in enumerate(value):
        yield from faults(schema["items"], item, f"{where}/{index}".removeprefix("/"))


def _object(schema: Mapping[str, Any], value: Any, where: str) -> Iterator[Fault]:
    fields = schema["properties"]
    for name in schema["required"]:
        if name not in value:
            yield where, "missing", name
    for name, item in value.items():
        if name in fields:
            yield from faults(fields[name], item, f"{where}/{name}".removeprefix("/"))
        else:
            yield where, "unknown", name


def _plain(schema: Mapping[str, Any], value: Any, where: str) -> Iterator[Fault]:
    if isinstance(value, str):
        if "enum" in schema and value not in schema["enum"]:
            yield where, "enum", schema["enum"]
        elif len(value.strip()) < schema.get("minLength", 0):
            yield where, "minLength", schema["minLength"]
    elif "minimum" in schema and value < schema["minimum"]:
        yield where, "minimum", schema["minimum"]
    elif "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        yield where, "exclusiveMinimum", schema["exclusiveMinimum"]
    elif "maximum" in schema and value > schema["maximum"]:
        yield where, "maximum", schema["maximum"]


def cli_words(tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> str | None:
    """Return what the command-line family says of arguments; None where nothing is wrong."""
    found = list(faults(schema, arguments))
    said = [_cli(fault) for fault in found]
    if not said and tool == "todo_write":
        ids = [todo["id"] for todo in arguments["todos"]]
        said = ["Todo IDs must be unique within the array"] if len(set(ids)) < len(ids) else []
    return ", ".join(said) or None


def _cli(fault: Fault) -> str:
    where, what, value = fault
    path = "/".join(filter(None, ["params", where]))
    limits = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<="}
    if what in limits:
        return f"{path} must be {limits[what]} {value}"
    words = {
        "missing": f"{path} must have required property '{value}'",
        "unknown": f"{path} must NOT have additional properties: '{value}'",
        "type": f"{path} must be {value}",
        "enum": f"{path} must be equal to one of the allowed values: {', '.join(value) if what == 'enum' else ''}",
        "minLength": f"{path} must NOT have fewer than {value} characters",
        "minItems": f"{path} must NOT have fewer than {value} items",
    }
    return words[what]


def claude_words(tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> str | None:
    """Return what the Claude-Code-like family says of arguments; None where nothing is wrong."""
    said = [_claude(fault, arguments) for fault in faults(schema, arguments)]
    if not said:
        return None
    head = f"{tool} failed due to the following issue{'s' * (len(said) > 1)}:"
    return "\n".join([head, *said])


def _claude(fault: Fault, arguments: Mapping[str, Any]) -> str:
    where, what, value = fault
    name = where.replace("/", ".")
    if what == "missing":
        return f"The required parameter `{'.'.join(filter(None, [name, value]))}` is missing"
    if what == "unknown":
        return f"An unexpected parameter `{'.'.join(filter(None, [name, value]))}` was provided"
    if what == "type":
        given = _kind(_at(arguments, where))
        return f"The parameter `{name}` type is expected as `{value}` but provided as `{given}`"
    return f"The parameter `{name}` must satisfy {what} {canonical_json(value)}"


def _at(value: Any, where: str) -> Any:
    for key in filter(None, where.split("/")):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return next(name for name, kind in reversed(_TYPES.items()) if isinstance(value, kind) and _fits(name, value))


def _fits(name: str, value: Any) -> bool:
    return isinstance(value, bool) is (name == "boolean")


__all__ = ["claude_words", "cli_words", "faults"]
