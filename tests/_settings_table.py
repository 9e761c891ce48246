"""Tables of settings for the pages in docs/, made from the models themselves."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

_BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
_HEAD = "| setting | values | default | meaning |\n| --- | --- | --- | --- |\n"


def settings_table(*models: tuple[str, type[BaseModel]], skip: frozenset[str] = frozenset()) -> str:
    """Return a table of all fields of `models`, each with its prefix; models inside are left to their own entry."""
    return _HEAD + "\n".join(row for prefix, model in models for row in _rows(prefix, model, skip))


def filled(text: str, blocks: Mapping[str, str]) -> str:
    """Return a page with the text between `<!-- name -->` and `<!-- /name -->` replaced."""
    for name, body in blocks.items():
        head, opened, rest = text.partition(f"<!-- {name} -->\n")
        _, closed, tail = rest.partition(f"<!-- /{name} -->")
        assert opened, name
        assert closed, name
        text = f"{head}{opened}\n{body}\n\n{closed}{tail}"
    return text


def said(thing: Any) -> str:
    """Return the docstring of a class as one cell."""
    return _cell(inspect.getdoc(thing) or "")


def default(model: type[BaseModel], name: str) -> str:
    """Return the default of a field as a person would write it in YAML."""
    field = model.model_fields[name]
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else _plain(value)
    return f"`{json.dumps(plain, ensure_ascii=False)}`"


def _rows(prefix: str, model: type[BaseModel], skip: frozenset[str]) -> list[str]:
    schema = model.model_json_schema()
    rows = []
    for name, field in model.model_fields.items():
        if name in skip or _nested(field.annotation):
            continue
        values = _values(schema["properties"][name], schema.get("$defs", {}))
        shown = default(model, name)
        if len(shown) > 120:
            shown = f"{len(field.get_default(call_default_factory=True))} entries"
        assert field.description, f"{model.__name__}.{name} has no docstring"
        rows.append(f"| `{prefix}{name}` | {_cell(values)} | {_cell(shown)} | {_cell(field.description)} |")
    return rows


def _nested(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def _values(schema: dict[str, Any], defs: dict[str, Any]) -> str:
    if "$ref" in schema:
        return _values(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_values(one, defs) for one in schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "anything")
    if kind == "array":
        return "list of " + _values(schema.get("items", {}), defs)
    if kind == "object":
        return "mapping"
    bounds = [f"{sign} {schema[key]:g}" for key, sign in _BOUNDS.items() if key in schema]
    return " ".join([{"string": "text", "boolean": "true, false"}.get(kind, kind), *bounds])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
