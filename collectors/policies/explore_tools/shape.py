"""The JSON schema of a tool's arguments: references followed, and values held against it."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import Any

from worldtape.schemas import Tool

_DEEP = 24
_QUOTED = re.compile(r"(?<![A-Za-z])['\"`]([A-Za-z][\w-]{0,24})['\"`]")


class Shape:
    """What one tool takes.

    Args:
        tool: as it was declared; a schema that cannot be read counts as none.

    Attributes:
        tool: the same.
        root: its schema.
    """

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.root: dict[str, Any] = {}
        try:
            found = json.loads(tool.input_schema or "{}")
        except ValueError:
            found = {}
        if isinstance(found, dict):
            self.root = found

    @cached_property
    def top(self) -> dict[str, Any]:
        """The schema of the arguments, whole."""
        return self.whole(self.root)

    @property
    def properties(self) -> dict[str, Any]:
        """Argument to schema."""
        found = self.top.get("properties")
        return found if isinstance(found, dict) else {}

    @property
    def required(self) -> list[str]:
        """Arguments that have to be given."""
        found = self.top.get("required")
        return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []

    def whole(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        """Return `schema` with its reference followed and `allOf` merged; true is the empty schema."""
        if not isinstance(schema, dict) or depth > _DEEP:
            return {}
        if isinstance(schema.get("$ref"), str):
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return merged(self.whole(self._at(schema["$ref"]), depth + 1), beside)
        if isinstance(schema.get("allOf"), list):
            found = {key: value for key, value in schema.items() if key != "allOf"}
            for part in schema["allOf"]:
                found = merged(found, self.whole(part, depth + 1))
            return found
        return schema

    def fits(self, value: Any, schema: Any = None) -> bool:
        """Return whether `value` is what `schema` (none: that of the arguments) asks for.

        A schema that is no schema, or that points outside, refuses nothing.
        """
        from jsonschema.exceptions import ValidationError, best_match
        from referencing.exceptions import Unresolvable

        checker = self._validator if schema is None else self._validator.evolve(schema=schema)
        try:
            fault: ValidationError | None = best_match(checker.iter_errors(value))
        except (Unresolvable, re.error, RecursionError, LookupError, TypeError, ValueError, AttributeError):
            return True
        except Exception as error:
            if type(error).__module__.startswith("jsonschema"):
                return True
            raise
        return fault is None

    @cached_property
    def _validator(self) -> Any:
        from jsonschema import Draft202012Validator
        from jsonschema.validators import validator_for
        from referencing import Registry

        kind = validator_for(self.root, default=Draft202012Validator)
        return kind(self.root, registry=Registry(), format_checker=kind.FORMAT_CHECKER)

    def _at(self, pointer: str) -> Any:
        found: Any = self.root
        for part in pointer.removeprefix("#").split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, dict) else None
        return found if pointer.startswith("#") else None


def merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Return both schemas as one: properties and required names of both, else the second's word."""
    found = first | second
    for key in ("properties", "$defs", "definitions"):
        if isinstance(first.get(key), dict) and isinstance(second.get(key), dict):
            found[key] = first[key] | second[key]
    if isinstance(first.get("required"), list) and isinstance(second.get("required"), list):
        found["required"] = list(dict.fromkeys([*first["required"], *second["required"]]))
    return found


def quoted(schema: dict[str, Any]) -> list[str]:
    """Return the choices that only a text's description names: "either 'local' or 'remote'"."""
    told = schema.get("description")
    if types(schema) != ["string"] or not isinstance(told, str) or schema.keys() & {"pattern", "format"}:
        return []
    found = list(dict.fromkeys(_QUOTED.findall(told)))
    return found if len(found) > 1 else []


def types(schema: dict[str, Any]) -> list[str]:
    """Return the JSON types that a whole schema allows, as far as it says so; empty: any."""
    given = schema.get("type")
    if isinstance(given, str):
        return [given]
    if isinstance(given, list):
        return [name for name in given if isinstance(name, str)]
    if "properties" in schema or "additionalProperties" in schema:
        return ["object"]
    if "items" in schema or "prefixItems" in schema:
        return ["array"]
    if any(key in schema for key in ("pattern", "minLength", "maxLength", "format")):
        return ["string"]
    return ["number"] if "minimum" in schema or "maximum" in schema else []


__all__ = ["Shape", "merged", "quoted", "types"]
