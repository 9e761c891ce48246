"""Files that people write: YAML read into a strict model, with the line of what is wrong."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

from worldtape.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    import yaml
    from pydantic_core import ErrorDetails, InitErrorDetails


if TYPE_CHECKING:
    _Spoken = BaseModel
else:

    class _OneLine(type(BaseModel)):
        """Makes a wrong value a `ConfigError` of one line also where a program gives it."""

        def __call__(cls, *args: Any, **values: Any) -> Any:
            try:
                return _strict(super().__call__(*args, **values))
            except ValidationError as error:
                raise _spoken(cls, error, values, where=cls.__name__) from error

    class _Spoken(BaseModel, metaclass=_OneLine):
        pass


class Settings(_Spoken):
    """The base of job, task and settings files: frozen, and every unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


S = TypeVar("S", bound=BaseModel)
_UNKNOWN = "unknown_key"
_Path = tuple[int | str, ...]
_WORDS = (
    ("a valid tuple", "a list"),
    ("a valid dictionary", "a mapping"),
    ("a valid string", "text"),
    (r" or instance of \w+", ""),
)
"""What a file holds, in the words of the file."""


def read_settings(model: type[S], path: str | Path) -> S:
    """Read the YAML file at `path` into `model`.

    Raises:
        NotFoundError: there is no such file.
        ConfigError: it is no YAML, has an unknown or a double key, or a value of the wrong kind; the message
            names the file, the line and, for an unknown key, the nearest right one.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFoundError("there is no such file", where=path) from error
    except (UnicodeDecodeError, IsADirectoryError) as error:
        raise ConfigError("this is not a YAML text file", where=path) from error
    return parse_settings(model, text, where=path)


def parse_settings(model: type[S], text: str, *, where: object) -> S:
    """Do what `read_settings` does with a text that was read before; `where` names it in messages."""
    node, value = _load(text, where)
    if not isinstance(value, dict):
        raise ConfigError("a mapping of keys to values is expected", where=f"{where}:1")
    try:
        return _strict(model.model_validate(value))
    except ValidationError as error:
        fault = _telling(error, lambda path: _place(node, path)[1])
        line, found = _place(node, fault["loc"])
        raise _complaint(model, fault, found, f"{where}:{line}") from error


def checked(model: type[S], value: Any, *, where: object) -> S:
    """Return `value` as a `model`.

    Raises:
        ConfigError: it does not fit; the line names `where`, the key, and for an unknown one the nearest right one.
    """
    try:
        return _strict(model.model_validate(value))
    except ValidationError as error:
        raise _spoken(model, error, value, where=where) from error


def nested(model: type[S], value: Any, *, beside: tuple[str, ...] = ()) -> S:
    """Check `value` inside a validator of other settings, so that a wrong key of it gets its line and a hint too.

    Args:
        model: what it has to be.
        value: as it was read.
        beside: further keys that are right where it stands.

    Raises:
        ValidationError: pydantic puts it below the field whose validator this is.
    """
    try:
        return _strict(model.model_validate(value))
    except ValidationError as error:
        known = [*beside, *model.model_fields]
        raise ValidationError.from_exception_data(model.__name__, [_again(e, known) for e in error.errors()]) from None


def _strict(settings: S) -> S:
    """Refuse unknown keys also in models that keep them elsewhere (those of the schema)."""
    found = list(_strays(settings, ()))
    if found:
        raise ValidationError.from_exception_data(type(settings).__name__, found)
    return settings


def _strays(settings: BaseModel, path: _Path) -> Iterator[InitErrorDetails]:
    known = list(type(settings).model_fields)
    for name, value in (settings.model_extra or {}).items():
        kind = PydanticCustomError(_UNKNOWN, "unknown key", {"known": known})
        yield {"type": kind, "loc": (*path, name), "input": value}
    for name in known:
        value = getattr(settings, name)
        if isinstance(value, BaseModel):
            yield from _strays(value, (*path, name))


def _again(fault: ErrorDetails, known: list[str]) -> InitErrorDetails:
    kind: str | PydanticCustomError = fault["type"]
    context = dict(fault.get("ctx", {}))
    if kind == _UNKNOWN:
        kind, context = PydanticCustomError(_UNKNOWN, "unknown key", context), {}
    elif kind == "extra_forbidden" and len(fault["loc"]) == 1:
        kind, context = PydanticCustomError(_UNKNOWN, "unknown key", {"known": known}), {}
    elif "error" in context:
        kind, context = PydanticCustomError("value_error", "{text}", {"text": str(context["error"])}), {}
    return {"type": kind, "loc": fault["loc"], "input": fault["input"], "ctx": context}


def _load(text: str, where: object) -> tuple[yaml.Node, Any]:
    import yaml

    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            raise ConfigError("the file is empty", where=f"{where}:1")
        _refuse_double_keys(node, where)
        return node, loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"not valid YAML: {error.problem}", where=f"{where}:{line}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"not valid YAML: {error}", where=where) from error


def _pairs(node: Any) -> list[tuple[yaml.Node, yaml.Node]]:
    return node.value if getattr(node, "id", "") == "mapping" else []


def _refuse_double_keys(node: Any, where: object) -> None:
    seen: dict[Any, int] = {}
    for key, value in _pairs(node):
        line = key.start_mark.line + 1
        if key.value in seen and isinstance(key.value, str):
            raise ConfigError(f"key {key.value!r} stands here again", where=f"{where}:{line}", fix="keep one of them")
        seen[str(key.value)] = line
        _refuse_double_keys(value, where)
    for item in node.value if node.id == "sequence" else ():
        _refuse_double_keys(item, where)


def _spoken(model: type[BaseModel], error: ValidationError, value: Any, *, where: object) -> ConfigError:
    fault = _telling(error, lambda path: _keys(value, path))
    return _complaint(model, fault, _keys(value, fault["loc"]), where)


def _complaint(model: type[BaseModel], fault: ErrorDetails, found: list[int | str], where: object) -> ConfigError:
    """Say one fault; `found` is the part of its place that somebody wrote."""
    path = fault["loc"]
    if fault["type"] in {"extra_forbidden", _UNKNOWN}:
        known = fault.get("ctx", {}).get("known") or _known(model, path)
        return ConfigError(f"unknown key {str(path[-1])!r}", where=where, fix=_nearest(str(path[-1]), known))
    if fault["type"] == "missing":
        return ConfigError(f"key {str(path[-1])!r} is missing", where=where)
    name = ".".join(str(part) for part in found)
    message = fault["msg"].removeprefix("Value error, ")
    for theirs, ours in _WORDS:
        message = re.sub(theirs, ours, message)
    given = "" if fault["type"] == "value_error" else f" (it is {fault['input']!r:.60})"
    return ConfigError(f"{name}: {message[:1].lower()}{message[1:]}{given}" if name else message, where=where)


def _telling(error: ValidationError, keys: Callable[[_Path], list[int | str]]) -> ErrorDetails:
    """Return the fault to tell: an unknown key, else the first; of a union's members the one that got furthest."""
    faults = error.errors(include_url=False)
    for fault in faults:
        if fault["type"] in {"extra_forbidden", _UNKNOWN}:
            return fault
    first = faults[0]
    if first["type"] == "missing" or len(keys(first["loc"])) == len(first["loc"]):
        return first
    beside = [fault for fault in faults if fault["loc"][: len(first["loc"]) - 1] == first["loc"][:-1]]
    return max(beside, key=lambda fault: len(fault["loc"]))


def _keys(value: Any, path: _Path) -> list[int | str]:
    """Return the parts of `path` that stand in `value`."""
    found = list[int | str]()
    for part in path:
        if isinstance(value, BaseModel):
            value = dict(value)
        listed = isinstance(value, (list, tuple)) and isinstance(part, int) and part < len(value)
        if listed or (isinstance(value, Mapping) and part in value):
            found.append(part)
            value = value[part]
    return found


def _place(node: Any, path: _Path) -> tuple[int, list[int | str]]:
    """Return line and keys of `path`; parts that are no keys of the file (names of union members) are left out."""
    line, found = int(node.start_mark.line), list[int | str]()
    for part in path:
        for key, value in _pairs(node):
            if key.value == str(part):
                line, node = key.start_mark.line, value
                found.append(part)
                break
        else:
            if getattr(node, "id", "") == "sequence" and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                line = node.start_mark.line
                found.append(part)
    return line + 1, found


def _nearest(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(sorted(known))}"


def _known(model: type[BaseModel], path: _Path) -> list[str]:
    models = [model]
    for part in path[:-1]:
        fields = [found.model_fields[part] for found in models if part in found.model_fields]
        models = [inner for field in fields for inner in _models(field.annotation)] or models
    return sorted({name for found in models for name in found.model_fields})


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in typing.get_args(annotation):
        yield from _models(inner)
