"""A terminal that a person types into."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from worldtape.collectors.terminal.actions import Stroke
from worldtape.collectors.terminal.config import TerminalConfig
from worldtape.collectors.terminal.environment import Terminal
from worldtape.collectors.terminal.outcomes import Facts
from worldtape.schemas import SettledBy

_TYPE_S = 5.0
_LONGEST_S = 86_400.0


class LiveTerminal(Terminal):
    """Keys are passed on while they are typed; the action that names them afterwards types only its last key.

    Args:
        config: its `timeout_s` and wait mode do not count: a person decides how long to wait.
        impatient: returns when the person does not wait any longer for the end of a command.
    """

    def __init__(self, config: TerminalConfig, impatient: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config.model_copy(update={"wait": "settle", "timeout_s": _LONGEST_S}))
        self._impatient = impatient
        self._last_key: bytes | None = None

    async def pass_on(self, key: bytes) -> None:
        """Type one key now; the bytes are recorded, the action comes later."""
        session, _ = self._started
        await session.type(key, time.monotonic() + _TYPE_S)
        session.pump.read()

    async def idle(self, seconds: float) -> bool:
        """Read what comes for at most `seconds`; return whether the shell is still there."""
        session, _ = self._started
        await session.pump.readable(seconds)
        session.pump.read()
        return not session.pump.ended

    def finish(self, last_key: bytes) -> None:
        """Say that the next action is typed already but for `last_key`, which may be empty."""
        self._last_key = last_key

    async def _type(self, strokes: Sequence[Stroke], timeout_s: float, facts: Facts) -> SettledBy | None:
        if self._last_key is None:
            return await super()._type(strokes, timeout_s, facts)
        key, self._last_key = self._last_key, None
        session, _ = self._started
        facts.untyped = await session.type(key, time.monotonic() + _TYPE_S)
        settle = asyncio.ensure_future(session.settle(time.monotonic() + timeout_s))
        hurry = asyncio.ensure_future(self._impatient())
        try:
            await asyncio.wait({settle, hurry}, return_when=asyncio.FIRST_COMPLETED)
            if settle.done():
                return settle.result()
        finally:
            for task in (settle, hurry):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        return await session.hold(time.monotonic())
