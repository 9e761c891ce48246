"""What a newer minor version wrote and this one has no column for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin

from worldtape.schemas import Model

Known = dict[str, "Known | None"]


@cache
def known(model: type[Model]) -> Known:
    """Return the fields of a model, each with those of the model it holds; null where a field takes anything."""
    return {
        name: known(inner) if (inner := _inner(field.annotation)) else None
        for name, field in model.model_fields.items()
    }


def unknown(data: Mapping[str, Any], fields: Known, prefix: str = "") -> dict[str, Any]:
    """Return the members of `data` that are no fields, by dotted path."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if name not in fields:
            found[prefix + name] = value
        elif isinstance(value, dict) and (inner := fields[name]) is not None:
            found |= unknown(value, inner, f"{prefix}{name}.")
    return found


def _inner(annotation: Any) -> type[Model] | None:
    if get_origin(annotation) in (Union, UnionType):
        return next((found for arg in get_args(annotation) if (found := _inner(arg))), None)
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    return None
