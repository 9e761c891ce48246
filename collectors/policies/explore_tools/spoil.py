"""Calls that are meant to fail."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from worldtape.collectors.policies.explore_tools.names import identifies, words
from worldtape.collectors.policies.explore_tools.shape import Shape, types

Call = tuple[str, dict[str, Any]]
_LONG = 600
_WRONG: dict[str, tuple[Any, ...]] = {
    "string": (17, True, ["a", "b"], {"value": "x"}),
    "integer": ("many", 2.5, "12 pieces", [3]),
    "number": ("a lot", "3,50", [1.5]),
    "boolean": ("perhaps", 7, []),
    "array": ("one, two", 5, {"0": "a"}),
    "object": ("none", ["name"], 0),
}
_FORMATS = {"date": "2026-02-30", "date-time": "tomorrow at nine", "email": "mara at example", "uri": "no address"}


def spoiled(shape: Shape, arguments: dict[str, Any], rng: Random, others: list[str]) -> tuple[str, Call] | None:
    """Return what was done to a right call and the wrong call; None where no way fits.

    Args:
        shape: of the tool.
        arguments: right ones; they are not changed.
        rng: decides which fault.
        others: names of the tools that there are.
    """
    ways = list(_WAYS.items())
    rng.shuffle(ways)
    ways.sort(key=lambda way: way[0] == "unknown_tool" and rng.random() < 0.6)  # noqa: PLR2004
    for how, way in ways:
        call = way(shape, dict(arguments), rng, others)
        if call is None:
            continue
        if how in _BY_SCHEMA and shape.fits(call[1]):
            continue
        return how, call
    return None


def _missing(shape: Shape, arguments: dict[str, Any], rng: Random, _others: list[str]) -> Call | None:
    given = [name for name in shape.required if name in arguments]
    if not given:
        return None
    if rng.random() < 0.2:  # noqa: PLR2004
        return shape.tool.name, {}
    del arguments[rng.choice(given)]
    return shape.tool.name, arguments


def _wrong_type(shape: Shape, arguments: dict[str, Any], rng: Random, _others: list[str]) -> Call | None:
    fitting = [(name, kind) for name, kind in _kinds(shape).items() if kind in _WRONG]
    if not fitting:
        return None
    name, kind = rng.choice(fitting)
    arguments[name] = rng.choice(_WRONG[kind])
    return shape.tool.name, arguments


def _no_choice(shape: Shape, arguments: dict[str, Any], rng: Random, _others: list[str]) -> Call | None:
    found = [name for name, schema in _schemas(shape).items() if isinstance(schema.get("enum"), list)]
    if not found:
        return None
    name = rng.choice(found)
    value = rng.choice(_schemas(shape)[name]["enum"] or [""])
    arguments[name] = rng.choice((f"{value}ed", str(value).upper(), "other", ""))
    return shape.tool.name, arguments


def _out_of_range(shape: Shape, arguments: dict[str, Any], rng: Random, _others: list[str]) -> Call | None:
    found: list[tuple[str, Any]] = []
    for name, schema in _schemas(shape).items():
        if isinstance(schema.get("minimum"), (int, float)):
            found.append((name, schema["minimum"] - rng.choice((1, 1, 10))))
        if isinstance(schema.get("maximum"), (int, float)):
            found.append((name, schema["maximum"] + rng.choice((1, 1, 100))))
        if isinstance(schema.get("maxLength"), int) and schema["maxLength"] < _LONG:
            found.append((name, "x" * (schema["maxLength"] + 1)))
        if schema.get("minLength") or schema.get("pattern"):
            found.append((name, rng.choice(("", "?"))))
        if schema.get("minItems"):
            found.append((name, []))
    if not found:
        return None
    name, value = rng.choice(found)
    arguments[name] = value
    return shape.tool.name, arguments


def _no_format(shape: Shape, arguments: dict[str, Any], rng: Random, _others: list[str]) -> Call | None:
    found = [(name, schema["format"]) for name, schema in _schemas(shape).items() if schema.get("format") in _FORMATS]
    if not found:
        return None
    name, kind = rng.choice(found)
    arguments[name] = _FORMATS[kind]
    return shape.tool.name, arguments


def _unknown_value(shape: Shape, arguments: dict[str, Any], rng: Random, _others: list[str]) -> Call | None:
    """Name something that is not there."""
    found = [name for name, value in arguments.items() if identifies(words(name)) and isinstance(value, (str, int))]
    if not found:
        return None
    name = rng.choice(found)
    arguments[name] = elsewhere(arguments[name], rng)
    return shape.tool.name, arguments


def _unknown_tool(shape: Shape, arguments: dict[str, Any], rng: Random, others: list[str]) -> Call | None:
    name = shape.tool.name
    parts = words(name)
    made = [name.upper(), f"{name}s", f"{name}_all", "_".join(("remove", *parts[1:])), "_".join(reversed(parts))]
    fresh = [each for each in made if each and each not in others]
    return (rng.choice(fresh), arguments) if fresh else None


def _unknown_argument(shape: Shape, arguments: dict[str, Any], rng: Random, _others: list[str]) -> Call | None:
    arguments[rng.choice(("force", "verbose", "dry_run", "format"))] = True
    return shape.tool.name, arguments


def elsewhere(value: Any, rng: Random) -> Any:
    """Return a value of the same look that probably names nothing."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return value
    if isinstance(value, int):
        return value + rng.choice((1000, 99_999))
    digits = [index for index, char in enumerate(value) if char.isdigit()]
    if not digits:
        stem, dot, end = value.rpartition(".")
        return f"{stem}-missing.{end}" if dot and stem else f"{value}-missing"
    chars = list(value)
    for index in digits[-4:]:
        chars[index] = rng.choice("6789")
    return "".join(chars)


def _schemas(shape: Shape) -> dict[str, dict[str, Any]]:
    return {name: shape.whole(schema) for name, schema in shape.properties.items()}


def _kinds(shape: Shape) -> dict[str, str]:
    return {name: (types(schema) or [""])[0] for name, schema in _schemas(shape).items()}


_Way = Callable[[Shape, dict[str, Any], Random, list[str]], Call | None]
_BY_SCHEMA: dict[str, _Way] = {
    "missing": _missing,
    "wrong_type": _wrong_type,
    "no_choice": _no_choice,
    "out_of_range": _out_of_range,
    "no_format": _no_format,
    "unknown_argument": _unknown_argument,
}
_WAYS: dict[str, _Way] = {**_BY_SCHEMA, "unknown_value": _unknown_value, "unknown_tool": _unknown_tool}

__all__ = ["elsewhere", "spoiled"]
