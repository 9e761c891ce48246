"""What a newer minor version wrote and this one has no column for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin

from worldtape.schemas import Model


@dataclass(frozen=True, slots=True)
class Known:
    """The fields of a model."""

    names: frozenset[str]
    nested: Mapping[str, Known]
    """Those that hold a model in their turn."""

    def whole(self, *names: str) -> Known:
        """Return the same with further fields, or with some that are not looked into."""
        nested = {name: inner for name, inner in self.nested.items() if name not in names}
        return replace(self, names=self.names | set(names), nested=nested)


@cache
def known(model: type[Model]) -> Known:
    """Return the fields of a model, and those of the models it holds."""
    inner = {name: found for name, field in model.model_fields.items() if (found := _inner(field.annotation))}
    return Known(frozenset(model.model_fields), {name: known(found) for name, found in inner.items()})


def unknown(data: Mapping[str, Any], fields: Known, prefix: str = "") -> dict[str, Any]:
    """Return the members of `data` that are no fields, by dotted path."""
    found: dict[str, Any] = {}
    if not data.keys() <= fields.names:
        found = {prefix + name: value for name, value in data.items() if name not in fields.names}
    for name, inner in fields.nested.items():
        value = data.get(name)
        if isinstance(value, dict):
            found |= unknown(value, inner, f"{prefix}{name}.")
    return found


def _inner(annotation: Any) -> type[Model] | None:
    if get_origin(annotation) in (Union, UnionType):
        return next((found for arg in get_args(annotation) if (found := _inner(arg))), None)
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    return None
