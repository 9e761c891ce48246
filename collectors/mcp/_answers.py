"""Answers to what a server asks of us: a model's words, a person's decision, the folders it may use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldtape.collectors.mcp.config import WORKDIR, McpConfig

_REFUSED = -1
"""The code that the specification gives for a request that the user rejected."""


def callbacks(config: McpConfig, workdir: str | None) -> dict[str, Any]:
    """Return the callbacks of a session; one that is missing is a capability that the server is not told of."""
    found: dict[str, Any] = {}
    if config.sampling is not None:
        found["sampling_callback"] = _sampling(config)
    if config.elicitation is not None:
        found["elicitation_callback"] = _elicitation(config)
    if config.roots is not None:
        found["list_roots_callback"] = _roots(config.roots, workdir)
    return found


def _sampling(config: McpConfig) -> Any:
    chosen = config.sampling
    assert chosen is not None

    async def answer(_context: Any, _params: Any) -> Any:
        from mcp_types import CreateMessageResult, ErrorData, TextContent

        if chosen.answer == "refuse":
            return ErrorData(code=_REFUSED, message="User rejected sampling request")
        words = TextContent(type="text", text=chosen.text)
        return CreateMessageResult(role="assistant", content=words, model=chosen.model, stop_reason="endTurn")

    return answer


def _elicitation(config: McpConfig) -> Any:
    chosen = config.elicitation
    assert chosen is not None

    async def answer(_context: Any, params: Any) -> Any:
        from mcp_types import ElicitResult

        if chosen.answer != "accept":
            return ElicitResult(action=chosen.answer)
        schema = getattr(params, "requested_schema", None)
        return ElicitResult(action="accept", content=None if schema is None else filled(schema, chosen.content))

    return answer


def _roots(roots: tuple[str, ...], workdir: str | None) -> Any:
    whole = [root.replace(WORKDIR, workdir or WORKDIR) for root in roots]
    found = [root if root.startswith("file://") else Path(root).absolute().as_uri() for root in whole]

    async def answer(_context: Any) -> Any:
        from mcp_types import ListRootsResult, Root

        return ListRootsResult(roots=[Root(uri=uri) for uri in found])

    return answer


def filled(schema: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a form: those given, else the form's defaults, else for required fields the plainest."""
    fields = schema.get("properties")
    if not isinstance(fields, Mapping):
        return dict(content)
    required = set(schema.get("required") or ())
    values = {}
    for name, field in fields.items():
        if name in content:
            values[name] = content[name]
        elif isinstance(field, Mapping) and "default" in field:
            values[name] = field["default"]
        elif name in required and isinstance(field, Mapping):
            values[name] = _plainest(field)
    return values


def _plainest(field: Mapping[str, Any]) -> Any:
    choices = field.get("enum") or [one.get("const") for one in field.get("oneOf") or ()]
    if choices:
        return choices[0]
    kind = field.get("type")
    if kind == "array":
        items = field.get("items")
        least = field.get("minItems") or 0
        return [_plainest(items)] * least if isinstance(items, Mapping) else []
    if kind == "boolean":
        return False
    if kind in ("integer", "number"):
        return field.get("minimum", 0)
    shortest = {"email": "user@example.com", "uri": "https://example.com", "date": "2026-01-01"}
    text = shortest.get(str(field.get("format")), "x")
    return (
        "2026-01-01T00:00:00Z" if field.get("format") == "date-time" else text.ljust(field.get("minLength") or 1, "x")
    )


__all__ = ["callbacks", "filled"]
