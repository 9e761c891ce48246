"""A person who types actions, line by line."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import Any, Self, TextIO

from worldtape.collectors.policies._config import PolicyConfig
from worldtape.collectors.policies._keys import to_action
from worldtape.schemas import Action, History, PolicySpec


class HumanConfig(PolicyConfig):
    """A person needs no settings."""


class Human:
    """Reads one action per line: the line is typed and followed by Enter, a recipe array is taken as it is.

    The end of the input, or `[]`, ends the session.

    Args:
        lines: where they come from; standard input by default.
        show: is given the newest screen before a line is read.
    """

    Config = HumanConfig
    action_kinds = frozenset({"keystrokes"})

    def __init__(self, lines: TextIO | None = None, *, show: Callable[[str], None] | None = None) -> None:
        self.spec = PolicySpec(kind="human")
        self._lines = lines
        self._show = show

    @classmethod
    def from_config(cls, settings: Mapping[str, Any] | HumanConfig) -> Self:
        """Make one from the settings of a job file.

        Raises:
            ConfigError: there are settings.
        """
        if not isinstance(settings, HumanConfig):
            HumanConfig.read(settings)
        return cls()

    async def next(self, history: History) -> Action | None:
        """Show the screen, read a line, and return what it means; None at the end of the input."""
        if self._show is not None:
            self._show(history.screen)
        line = await asyncio.to_thread((self._lines or sys.stdin).readline)
        if not line:
            return None
        action = to_action(line.rstrip("\r\n"))
        return None if action is None else action.model_copy(update={"actor": "human"})
