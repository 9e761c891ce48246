"""What can be asked of an MCP server: a tool call, a resource, a prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from worldtape.collectors.mcp._json import canonical
from worldtape.collectors.mcp.render.result import TOO_DEEP
from worldtape.errors import InputError
from worldtape.schemas import Action, Batch, canonical_json

_KINDS = {"tool_call": "tools/call", "resource_read": "resources/read", "prompt_get": "prompts/get"}
KINDS = frozenset(_KINDS)
"""Kinds of actions that `Mcp` takes."""
_BY_METHOD = {method: kind for kind, method in _KINDS.items()}


def tool_call(name: str, arguments: Mapping[str, Any] | None = None, *, timeout_s: float | None = None) -> Action:
    """Return a call of the tool `name`; its text is canonical JSON of `name` and `arguments`."""
    return _action("tool_call", name, dict(arguments or {}), timeout_s)


def resource_read(uri: str, *, timeout_s: float | None = None) -> Action:
    """Return the reading of a resource."""
    return _action("resource_read", _KINDS["resource_read"], {"uri": uri}, timeout_s)


def prompt_get(name: str, arguments: Mapping[str, str] | None = None, *, timeout_s: float | None = None) -> Action:
    """Return the asking for a prompt."""
    given: dict[str, Any] = {"name": name} | ({"arguments": dict(arguments)} if arguments else {})
    return _action("prompt_get", _KINDS["prompt_get"], given, timeout_s)


def parse_call(given: Any) -> Action | None:
    """Return the action of `{"name": …, "arguments": {…}}`, given as text or as a mapping; None for "" and `[]`.

    The arguments may be a JSON text themselves. The names `resources/read` and `prompts/get` are those requests. What
    cannot be read becomes a `tool_call` without a name, which is rejected.
    """
    if given in ("", []):
        return None
    text = given if isinstance(given, str) else canonical_json(given)
    value = _read(given)
    name = value.get("name") if isinstance(value, dict) else None
    arguments = _read(value.get("arguments", {})) if isinstance(value, dict) else None
    if not isinstance(name, str) or not name or not isinstance(arguments, dict):
        return Action(kind="tool_call", text=text)
    action = _action(_BY_METHOD.get(name, "tool_call"), name, arguments, None)
    return action if action.text == text else action.model_copy(update={"raw": text})


def action_of(message: Mapping[str, Any], batch: Batch | None = None) -> Action:
    """Return the action that a client's request is; `raw` holds its parameters where they are not of the usual form."""
    method = str(message.get("method"))
    params = message.get("params")
    given = {key: value for key, value in params.items() if key != "_meta"} if isinstance(params, Mapping) else {}
    if method != "tools/call":
        return _action(_BY_METHOD[method], method, given, None).model_copy(update={"batch": batch})
    name, arguments = given.get("name"), given.get("arguments", {})
    usual = isinstance(name, str) and isinstance(arguments, dict) and given.keys() <= {"name", "arguments"}
    action = _action("tool_call", str(name or ""), arguments if isinstance(arguments, dict) else {}, None)
    return action.model_copy(
        update={
            "name": name if isinstance(name, str) and name else None,
            "raw": action.raw if usual else canonical(params),
            "batch": batch,
        }
    )


def request_of(action: Action) -> tuple[str, dict[str, Any]]:
    """Return the method and parameters of the request that carries `action` out.

    Raises:
        InputError: it is none: another kind, no name, or arguments that are no JSON object.
    """
    method = _KINDS.get(action.kind)
    if method is None:
        raise InputError(f"an MCP server takes no {action.kind}", fix=f"use {', '.join(sorted(KINDS))}")
    arguments = _read(action.arguments or "{}")
    if not action.name:
        raise InputError('the call is no JSON of the form {"name": …, "arguments": {…}}')
    if not isinstance(arguments, dict):
        raise InputError("the arguments are no JSON object", where=action.name)
    if method == "tools/call":
        return method, {"name": action.name, "arguments": arguments}
    key = "uri" if method == "resources/read" else "name"
    if not isinstance(arguments.get(key), str):
        raise InputError(f"{method} needs a text {key!r}")
    return method, arguments


def _action(kind: str, name: str, arguments: dict[str, Any], timeout_s: float | None) -> Action:
    whole = canonical(arguments)
    if whole is None:
        return Action(kind=kind, text=canonical_json({"name": name}), raw=TOO_DEEP, name=name, timeout_s=timeout_s)
    text = canonical_json({"name": name, "arguments": arguments})
    return Action(kind=kind, text=text, name=name, arguments=whole, timeout_s=timeout_s)


def _read(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


__all__ = ["KINDS", "action_of", "parse_call", "prompt_get", "request_of", "resource_read", "tool_call"]
