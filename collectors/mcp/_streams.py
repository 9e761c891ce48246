"""The two streams between our transports and the SDK's session, without a task in between."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

_PARSE_ERROR = -32700


class Inbox:
    """What the session reads: messages in the order in which they came."""

    def __init__(self) -> None:
        self._items: deque[SessionMessage | Exception] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self.closed = False

    def put(self, item: SessionMessage | Exception) -> None:
        """Hand a message on."""
        self._items.append(item)
        self._wake()

    def close(self) -> None:
        """Nothing more will come."""
        self.closed = True
        self._wake()

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        import anyio

        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def aclose(self) -> None:
        """Nothing more is wanted."""
        self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while not self._items:
            if self.closed:
                raise StopAsyncIteration
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return self._items.popleft()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def session_message(message: dict[str, Any]) -> SessionMessage | None:
    """Return a message as the session takes it; None where it is none that it could use.

    An answer that breaks the protocol becomes an error with the same id, so that whoever waits for it learns of it.
    """
    from mcp.shared.message import SessionMessage
    from mcp_types import ErrorData, JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter

    key = message.get("id")
    if "method" not in message and isinstance(key, (int, str)) and not isinstance(key, bool):
        result = message.get("result")
        if isinstance(result, dict) and "error" not in message:
            return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=key, result=result))
        try:
            error = ErrorData.model_validate(message.get("error"))
        except ValueError:
            error = ErrorData(code=_PARSE_ERROR, message="the answer has neither a result nor an error")
        return SessionMessage(JSONRPCError(jsonrpc="2.0", id=key, error=error))
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_python(message, by_name=False))
    except ValueError:
        return None


__all__ = ["Inbox", "session_message"]
