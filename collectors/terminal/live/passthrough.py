"""A person at their own terminal, typing into a recorded one."""

from __future__ import annotations

import asyncio
import os
import signal
import termios
import tty
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from worldtape.collectors.policies.explore.mode import Mode, mode_of_program
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.terminal.actions import keystrokes, resize
from worldtape.collectors.terminal.config import TerminalConfig
from worldtape.collectors.terminal.live._live import LiveTerminal
from worldtape.collectors.terminal.live._typed import ENTER, URGENT, Keyboard, to_strokes
from worldtape.schemas import Action

_PAUSE_S = 0.5
"""In a full-screen program or a REPL, a pause of this length ends an action."""
_PATIENCE_S = 1.0
"""Keys typed ahead wait this long for the command before them."""
_LOOK_S = 0.25


class Passthrough:
    """Passes keys on as they come, and makes actions of them.

    At a shell's prompt a line is one action, observed when it has settled. Elsewhere an action ends with Enter, with a
    control key, or with a pause. A command that still runs is observed when the person types on.

    Args:
        config: the terminal to start; its size should be that of the person's own.
        fd: the person's terminal.
    """

    def __init__(self, config: TerminalConfig, fd: int = 0) -> None:
        self.environment = LiveTerminal(config, self._impatient)
        self._fd = fd
        self._keyboard = Keyboard()
        self._keys: deque[bytes] = deque()
        self._came = asyncio.Event()
        self._urgent = asyncio.Event()
        self._resized = False
        self._closed = False

    async def run(self, recorder: Recorder) -> None:
        """Let the person act until the shell ends or their terminal is closed."""
        typed: list[bytes] = []
        with self._listening():
            while recorder.end is None:
                if self._resized:
                    self._resized = False
                    await recorder.step(_by_human(resize(*os.get_terminal_size(self._fd))))
                elif not self._keys and (
                    self._closed or not await self._wait(pause=bool(typed) and not _in_shell(recorder))
                ):
                    if not typed and self._closed:
                        return
                    await self._act(recorder, typed, b"")
                elif self._keys:
                    await self._take(recorder, typed)

    async def _take(self, recorder: Recorder, typed: list[bytes]) -> None:
        key = self._next()
        typed.append(key)
        if key in ENTER or key in URGENT:
            await self._act(recorder, typed, key)
        else:
            await self.environment.pass_on(key)

    async def _act(self, recorder: Recorder, typed: list[bytes], last_key: bytes) -> None:
        action = keystrokes(to_strokes(typed) or [{"keystrokes": ""}])
        assert action is not None
        typed.clear()
        self.environment.finish(last_key)
        await recorder.step(_by_human(action))

    async def _wait(self, *, pause: bool) -> bool:
        """Wait for a key or a resize, showing what comes; False after a pause, or when the shell is gone."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _PAUSE_S
        came = asyncio.ensure_future(self._came.wait())
        try:
            while not (self._keys or self._resized or self._closed):
                idle = asyncio.ensure_future(self.environment.idle(_LOOK_S))
                await asyncio.wait({came, idle}, return_when=asyncio.FIRST_COMPLETED)
                if idle.done() and not idle.result():
                    return False
                idle.cancel()
                await asyncio.gather(idle, return_exceptions=True)
                if pause and loop.time() >= until:
                    return False
        finally:
            came.cancel()
        return True

    async def _impatient(self) -> None:
        try:
            await asyncio.wait_for(self._urgent.wait(), _PATIENCE_S)
        except TimeoutError:
            await self._came.wait()

    def _next(self) -> bytes:
        key = self._keys.popleft()
        if not any(other in URGENT for other in self._keys):
            self._urgent.clear()
        if not (self._keys or self._resized or self._closed):
            self._came.clear()
        return key

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            data = b""
        keys = self._keyboard.feed(data)
        self._keys.extend(keys)
        if not data:
            self._closed = True
            asyncio.get_running_loop().remove_reader(self._fd)
        if keys or not data:
            self._came.set()
        if not data or any(key in URGENT for key in keys):
            self._urgent.set()

    def _resize(self) -> None:
        self._resized = True
        self._came.set()

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Put the person's terminal into raw mode, and back whatever happens."""
        loop = asyncio.get_running_loop()
        before = termios.tcgetattr(self._fd)
        tty.setraw(self._fd, termios.TCSADRAIN)  # keys typed ahead are kept
        loop.add_reader(self._fd, self._read)
        loop.add_signal_handler(signal.SIGWINCH, self._resize)
        loop.add_signal_handler(signal.SIGHUP, self._hang_up)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGWINCH)
            loop.remove_signal_handler(signal.SIGHUP)
            loop.remove_reader(self._fd)
            try:
                termios.tcsetattr(self._fd, termios.TCSADRAIN, before)
            except termios.error:  # their terminal is gone
                self._closed = True

    def _hang_up(self) -> None:
        self._closed = True
        self._came.set()
        self._urgent.set()


def _by_human(action: Action) -> Action:
    return action.model_copy(update={"actor": "human"})


def _in_shell(recorder: Recorder) -> bool:
    """Whether a shell waits for a line: then only Enter or a control key ends an action."""
    history = recorder.history
    state = history.turns[-1][1].state_after if history.turns else history.ready.initial_state.probes
    command = (state or {}).get("foreground")
    return command is None or mode_of_program(command) is Mode.SHELL
