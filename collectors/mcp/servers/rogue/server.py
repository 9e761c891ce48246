"""The server around the tricks: a handshake, tools, and a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worldtape.collectors.mcp.servers.rogue.pipe import Message, Pipe, result
from worldtape.collectors.mcp.servers.rogue.tricks import TRICKS

_LATEST = "2025-11-25"
_DEFAULTS = {"seconds": 0.2}
_MISBEHAVE: dict[str, Any] = {
    "name": "misbehave",
    "description": "Do one thing that servers should not do.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "how": {"type": "string", "enum": list(TRICKS), "description": "What to do wrong"},
            "text": {"type": "string", "description": "Words to use"},
            "seconds": {"type": "number", "minimum": 0, "maximum": 600, "description": "How long to wait"},
            "bytes": {"type": "integer", "minimum": 1, "maximum": 1 << 26, "description": "How much to write"},
            "count": {"type": "integer", "minimum": 0, "maximum": 100_000, "description": "How often, or how deep"},
            "status": {"type": "integer", "minimum": 0, "maximum": 255, "description": "Exit status"},
        },
        "required": ["how"],
    },
}
_ECHO: dict[str, Any] = {
    "name": "echo",
    "description": "Say the text again, as it should be.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


class Rogue:
    """One connection.

    Args:
        protocol: the version that is claimed, whatever the client speaks; None: the client's own.
        banner: what is written to stdout before anything else.
        mute: methods that are never answered.

    Attributes:
        pipe: the connection.
        on_cancel: id of a call to what is done when the client gives it up.
    """

    def __init__(self, *, protocol: str | None = None, banner: str = "", mute: frozenset[str] = frozenset()) -> None:
        self.pipe = Pipe()
        self.on_cancel: dict[str, Callable[[], None]] = {}
        self._protocol = protocol
        self._banner = banner
        self._mute = mute
        self._tools = [_ECHO, _MISBEHAVE]

    def run(self) -> None:
        """Serve until stdin ends."""
        if self._banner:
            self.pipe.raw(self._banner.encode() + b"\n")
        for message in self.pipe.messages():
            method = message.get("method")
            if method == "notifications/cancelled":
                self.on_cancel.pop(str(message.get("params", {}).get("requestId")), lambda: None)()
            elif "id" in message and method not in self._mute:
                self._handle(message)

    def grow(self) -> None:
        """Offer one more tool."""
        self._tools = [*self._tools, _ECHO | {"name": f"echo_{len(self._tools)}"}]

    def shrink(self) -> None:
        """Offer nothing but `misbehave`."""
        self._tools = [_MISBEHAVE]

    def _handle(self, request: Message) -> None:
        method, params = request.get("method"), request.get("params") or {}
        if method == "tools/call":
            self._call(request, params.get("name"), params.get("arguments") or {})
        elif method in ("initialize", "tools/list", "ping"):
            found = {
                "initialize": self._introduction(params),
                "tools/list": {"tools": self._tools},
                "ping": {},
            }[str(method)]
            self.pipe.send({"jsonrpc": "2.0", "id": request["id"], "result": found})
        else:
            self._refuse(request, -32601, f"Method not found: {method}")

    def _introduction(self, params: Message) -> Message:
        version = self._protocol or params.get("protocolVersion", _LATEST)
        return {
            "protocolVersion": version,
            "capabilities": {"tools": {"listChanged": True}, "logging": {}},
            "serverInfo": {"name": "worldtape-rogue", "version": "1.0"},
        }

    def _call(self, request: Message, name: Any, given: Message) -> None:
        if name not in [tool["name"] for tool in self._tools]:
            self._refuse(request, -32602, f"Unknown tool: {name}")
        elif name != "misbehave":
            self.pipe.answer(request, str(given.get("text", "")))
        elif given.get("how") not in TRICKS:
            self.pipe.send(result(request, f"I cannot {given.get('how')}.", isError=True))
        else:
            try:
                TRICKS[given["how"]](self, request, _DEFAULTS | given)
            except (TypeError, ValueError, OverflowError) as fault:
                self.pipe.send(result(request, f"I cannot do that: {fault}.", isError=True))

    def _refuse(self, request: Message, code: int, message: str) -> None:
        self.pipe.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})


__all__ = ["Rogue"]
