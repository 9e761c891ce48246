"""Frames and other bytes on stdin and stdout."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

Message = dict[str, Any]


class Pipe:
    """Writes whatever it is told, and answers of its own choosing.

    Attributes:
        asked: id of a request of ours to what is done with its answer.
    """

    def __init__(self) -> None:
        self.asked: dict[str, Callable[[Message], None]] = {}
        self._lock = threading.Lock()

    def raw(self, data: bytes) -> None:
        """Write bytes as they are; where nobody reads any more, nothing is written."""
        with self._lock:
            try:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
            except (OSError, ValueError):
                return

    def send(self, *messages: Any) -> None:
        """Write each message as a line, all in one write."""
        self.raw(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def answer(self, request: Message, text: str) -> None:
        """Answer a call in the usual way."""
        self.send(result(request, text))

    def ask(self, method: str, params: Message, then: Callable[[Message], None]) -> None:
        """Send a request to the client; its answer goes to `then`."""
        name = f"rogue-{len(self.asked)}"
        self.asked[name] = then
        self.send({"jsonrpc": "2.0", "id": name, "method": method, "params": params})

    def notify(self, method: str, params: Message | None = None) -> None:
        """Send a notification."""
        self.send(notification(method, params))

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Do something after some time, unless the server has ended before."""
        timer = threading.Timer(seconds, do)
        timer.daemon = True
        timer.start()

    def messages(self) -> Iterator[Message]:
        """Yield what the client sends; answers to our own requests go where they belong."""
        for line in sys.stdin.buffer:
            try:
                value = json.loads(line)
            except ValueError:
                continue
            for message in value if isinstance(value, list) else [value]:
                then = self.asked.get(str(message.get("id"))) if isinstance(message, dict) else None
                if then is not None and "method" not in message:
                    then(message)
                elif isinstance(message, dict):
                    yield message


def result(request: Message, text: str, **more: Any) -> Message:
    """Return the usual answer to a call."""
    content = [{"type": "text", "text": text}]
    return {"jsonrpc": "2.0", "id": request.get("id"), "result": {"content": content, **more}}


def notification(method: str, params: Message | None = None) -> Message:
    """Return a notification."""
    found: Message = {"jsonrpc": "2.0", "method": method}
    return found if params is None else found | {"params": params}


__all__ = ["Message", "Pipe", "notification", "result"]
