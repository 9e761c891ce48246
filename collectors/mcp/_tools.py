"""What a server offers, as its frames tell it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from worldtape.collectors.mcp._json import canonical, id_key
from worldtape.collectors.mcp.render.result import answered
from worldtape.schemas import Tool, canonical_json


def declared(items: Any) -> tuple[Tool, ...]:
    """Return tools as `tools/list` declares them; what is none is passed over."""
    found = []
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            continue
        schema, told = item.get("inputSchema"), item.get("description")
        shape = None if schema is None else canonical(schema)
        found.append(Tool(name=item["name"], description=told if isinstance(told, str) else None, input_schema=shape))
    return tuple(found)


def tools_hash(tools: Iterable[Tool]) -> str:
    """Return a hash of what is offered: names, descriptions and schemas."""
    return hashlib.sha256(canonical_json([tool.to_dict() for tool in tools]).encode()).hexdigest()[:16]


class Offers:
    """Folds `initialize`, `server/discover` and `tools/list` and their answers.

    Attributes:
        tools: offered now, by name.
        ever: offered at any time, by name, as first declared.
        changes: what each list after the first changed: `step` (the first call it holds for), and names that were
            `added`, `removed` or `changed`, the tools as they are declared since.
        server: its name; and `server_version`, `protocol`, `instructions`, `client`.
    """

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.ever: dict[str, Tool] = {}
        self.changes: list[dict[str, Any]] = []
        self.facts: dict[str, Any] = {}
        self._asked: dict[str, tuple[str, bool]] = {}
        self._pages: dict[str, Tool] = {}
        self._listed = False

    def sent(self, message: dict[str, Any]) -> None:
        """Take a message of the client."""
        method, key = message.get("method"), id_key(message.get("id"))
        if key is None or method not in ("initialize", "server/discover", "tools/list"):
            return
        params = message.get("params") if isinstance(message.get("params"), dict) else {}
        assert isinstance(params, dict)
        self._asked[key] = (str(method), bool(params.get("cursor")))
        client = params.get("clientInfo")
        if isinstance(client, dict):
            self.facts["client"] = f"{client.get('name')} {client.get('version')}"

    def came(self, message: dict[str, Any], step: int) -> None:
        """Take a message of the server; `step` is the number of the next call."""
        key = answered(message)
        method, later = self._asked.pop(key or "", ("", False))
        result = message.get("result")
        if not method or not isinstance(result, dict):
            return
        if method == "tools/list":
            self._list(result, step, later=later)
        else:
            self._introduced(result)

    @property
    def waits(self) -> bool:
        """Whether an answer is still to come that tells of an offer."""
        return bool(self._asked)

    def _introduced(self, result: dict[str, Any]) -> None:
        meta = result.get("_meta")
        stamp = meta.get("io.modelcontextprotocol/serverInfo") if isinstance(meta, dict) else None
        info = result.get("serverInfo", stamp)
        if isinstance(info, dict):
            self.facts |= {"server": info.get("name"), "server_version": info.get("version")}
        versions = result.get("supportedVersions")
        protocol = result.get("protocolVersion") or (versions[-1] if isinstance(versions, list) and versions else None)
        self.facts |= {"protocol": protocol, "instructions": result.get("instructions")}

    def _list(self, result: dict[str, Any], step: int, *, later: bool) -> None:
        if not later:
            self._pages = {}
        self._pages |= {tool.name: tool for tool in declared(result.get("tools"))}
        if result.get("nextCursor"):
            return
        before, self.tools = self.tools, dict(self._pages)
        if self._listed and before != self.tools:
            changed = [tool for name, tool in self.tools.items() if name in before and before[name] != tool]
            self.changes.append(
                {
                    "step": step,
                    "added": sorted(self.tools.keys() - before.keys()),
                    "removed": sorted(before.keys() - self.tools.keys()),
                    "changed": [tool.to_dict() for tool in changed],
                }
            )
        self._listed = True
        self.ever = {**self.tools, **self.ever}


__all__ = ["Offers", "declared", "tools_hash"]
