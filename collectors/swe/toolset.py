"""The seam between the environment and a family of tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from worldtape.collectors.swe.box import Ran
from worldtape.schemas import Outcome, Renderer, Tool

Keep = Callable[[str, bytes], None]
"""Takes a channel and bytes; the tape has them before the renderer does."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a call ended; its text is what the renderer gives."""

    outcome: Outcome
    commands: tuple[tuple[str, Ran], ...] = ()
    """Shell commands that it ran, as they were given, with their ends."""


class Toolset(Protocol):
    """The tools of one trajectory."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What is offered, with JSON schemas."""
        ...

    @property
    def renderer(self) -> Renderer:
        """Fed by the environment with everything that is kept; renders the answer to the newest call, "" before it."""
        ...

    @property
    def state(self) -> dict[str, Any]:
        """What the tools themselves remember: `cwd`, where the next command starts, and `todos`."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any], keep: Keep, limit_s: float | None) -> Answer:
        """Carry out one call.

        Args:
            name: of the tool; one that is not offered is answered as the family answers it.
            arguments: as they were given, not validated yet.
            keep: takes every fact that the answer is rendered from, at least one piece a call.
            limit_s: no command may take longer; None: the tools' own limits hold.

        Raises:
            ComponentError: the container is gone.
        """
        ...


__all__ = ["Answer", "Keep", "Toolset"]
