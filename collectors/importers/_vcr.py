"""HTTP cassettes of VCR: the MCP messages in their bodies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from worldtape.collectors.importers._json import document, parse
from worldtape.collectors.importers._mcp import Frame
from worldtape.collectors.importers._values import as_dict, as_list, too_deep
from worldtape.errors import FormatError
from worldtape.schemas import Orphan, SourceFile

_LARGEST = 64 << 20
_MOST_NODES = 5_000_000


def frames(source: SourceFile) -> Iterator[Frame | Orphan]:
    """Give the frames of a cassette: JSON-RPC in the bodies, or calls that a model's API made for its client.

    Raises:
        FormatError: it is no YAML, too large, or its aliases grow without end.
    """
    value = document(source) if source.head.lstrip()[:1] == b"{" else _yaml(source)
    for number, item in enumerate(as_list(as_dict(value).get("interactions"))):
        fields, locator = as_dict(item), f"/interactions/{number}"
        sent, answered = _body(fields.get("request")), _body(fields.get("response"))
        code = as_dict(as_dict(fields.get("response")).get("status")).get("code")
        status = code if isinstance(code, int) and not isinstance(code, bool) and 0 < code < 1000 else None  # noqa: PLR2004
        rpc = [message for message in sent if _is_rpc(message)]
        for message in rpc:
            yield Frame(c2s=True, value=message, locator=locator)
        for message in answered:
            if _is_rpc(message):
                yield Frame(c2s=False, value=message, locator=locator, status=status)
            elif not rpc:
                yield from _served(message, locator)


def _served(message: Any, locator: str) -> Iterator[Frame | Orphan]:
    """Give the calls that Anthropic's API made itself: `mcp_tool_use` and `mcp_tool_result` in one answer.

    Requests repeat earlier answers as context; they are not read.
    """
    for number, item in enumerate(as_list(as_dict(message).get("content"))):
        part, where = as_dict(item), f"{locator}/response/content/{number}"
        if part.get("type") == "mcp_tool_use" and not too_deep(part):
            params = {"name": part.get("name"), "arguments": part.get("input")}
            call = {"jsonrpc": "2.0", "id": part.get("id"), "method": "tools/call", "params": params}
            yield Frame(c2s=True, value=call, locator=where)
        elif part.get("type") == "mcp_tool_result" and not too_deep(part):
            result = {"content": part.get("content"), "isError": part.get("is_error") is True}
            answer = {"jsonrpc": "2.0", "id": part.get("tool_use_id"), "result": result}
            yield Frame(c2s=False, value=answer, locator=where)


def _is_rpc(message: Any) -> bool:
    if isinstance(message, list):
        return bool(message) and all(_is_rpc(item) for item in message)
    return isinstance(message, dict) and message.get("jsonrpc") == "2.0"


def _body(side: Any) -> list[Any]:
    """Return the JSON values of a body: one, or one for each event of a stream."""
    fields = as_dict(side)
    if "parsed_body" in fields:
        return [fields["parsed_body"]]
    body = fields.get("body")
    text = body.get("string") if isinstance(body, dict) else body
    if not isinstance(text, str):
        return []
    chunks = [text]
    if text.lstrip().startswith(("event:", "data:", "id:", ":")):
        chunks = [line[5:] for line in text.replace("\r", "").split("\n") if line.startswith("data:")]
    return [value for chunk in chunks if (value := _json(chunk)) is not None]


def _json(text: str) -> Any:
    try:
        return parse(text.encode("utf-8", "replace"))
    except FormatError:
        return None


def _yaml(source: SourceFile) -> Any:
    """Load YAML with plain types only: no objects are made, and dates stay text."""
    import yaml

    if source.size > _LARGEST:
        raise FormatError(f"a YAML file of {source.size >> 20} MiB is too large to be held", where=source.name)
    with source.open() as file:
        text = file.read().decode("utf-8-sig", "replace")
    loader = _loader(yaml)
    try:
        value = yaml.load(text, Loader=loader)  # noqa: S506 a safe loader
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        reason = str(error).partition("\n")[0]
        raise FormatError(f"no valid YAML: {reason}", where=source.name) from error
    _bounded(value, source.name)
    return _plain(value)


def _plain(value: Any) -> Any:
    """Return the value as JSON could hold it: YAML also has bytes, sets, dates and keys that are no text."""
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else str(value)


def _loader(yaml: Any) -> Any:
    """Return a safe loader that keeps what looks like a date as it is written."""
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolvers = {
        first: [(tag, pattern) for tag, pattern in known if tag != "tag:yaml.org,2002:timestamp"]
        for first, known in base.yaml_implicit_resolvers.items()
    }
    return type("Loader", (base,), {"yaml_implicit_resolvers": resolvers})


def _bounded(value: Any, name: str) -> None:
    """Refuse what aliases make endless: a value inside itself, or too many nodes once written out."""
    try:
        endless = _nodes(value, {}) > _MOST_NODES or too_deep(value)
    except RecursionError:
        endless = True
    if endless:
        raise FormatError("its aliases grow without end, or it is nested too deep", where=name)


def _nodes(value: Any, known: dict[int, int]) -> int:
    if not isinstance(value, (dict, list, tuple, set)):
        return 1
    if id(value) not in known:
        known[id(value)] = _MOST_NODES + 1  # stands until it is counted: a value inside itself is endless
        items = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_nodes(item, known) for item in items)
    return known[id(value)]
