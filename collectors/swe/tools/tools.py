"""One family of tools at work in one repository."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from worldtape.collectors.swe.box import Box
from worldtape.collectors.swe.render import ClaudeResult, CliResult
from worldtape.collectors.swe.render.fold import ANSWER, CALL, Fold
from worldtape.collectors.swe.tools import _claude_tools, _cli_tools, claude, cli
from worldtape.collectors.swe.tools._check import claude_words, cli_words
from worldtape.collectors.swe.tools.session import Session, Told, refused, system_fault
from worldtape.collectors.swe.toolset import Answer, Keep
from worldtape.errors import ComponentError
from worldtape.schemas import ErrorInfo, Outcome, Tool, canonical_json

Family = Literal["cli", "claude"]
"""`cli`: `read_file`, `edit`, `run_shell_command`, …; `claude`: `Read`, `Edit`, `Bash`, …"""
TIMEOUT_S = 120.0
_MESSAGE_CHARS = 500
_WORDS = ("absolute_path", "file_path", "path", "command", "directory", "pattern")
"""Arguments that the system takes as words, which hold no NUL."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What makes a family."""

    tools: tuple[Tool, ...]
    schemas: Mapping[str, Mapping[str, Any]]
    does: Mapping[str, cli.Done]
    words: Callable[[str, Mapping[str, Any], Mapping[str, Any]], str | None]
    renderer: type[Fold]
    guarded: bool


_FAMILIES: Mapping[str, _Kind] = {
    "cli": _Kind(_cli_tools.TOOLS, _cli_tools.SCHEMAS, cli.TOOLS, cli_words, CliResult, guarded=False),
    "claude": _Kind(_claude_tools.TOOLS, _claude_tools.SCHEMAS, claude.TOOLS, claude_words, ClaudeResult, guarded=True),
}


class Tools:
    """A `Toolset`: what was read, where commands start and what is to be done are remembered from call to call.

    Args:
        family: which tools.
        box: where they work; the repository lies at its `workdir`.
        timeout_s: how long a command may take that asks for no other time.
    """

    def __init__(self, family: Family, box: Box, *, timeout_s: float = TIMEOUT_S) -> None:
        self._kind = _FAMILIES[family]
        self._session = Session(box, box.workdir, self._kind.guarded, timeout_s)
        self.tools: tuple[Tool, ...] = self._kind.tools
        self.renderer: Fold = self._kind.renderer()

    @property
    def state(self) -> dict[str, Any]:
        """Where the next command starts, and the todos."""
        return {"cwd": self._session.cwd, "todos": self._session.todos}

    async def call(self, name: str, arguments: Mapping[str, Any], keep: Keep, limit_s: float | None = None) -> Answer:
        """See `Toolset`."""
        session = self._session
        session.keep, session.limit_s, session.commands = keep, limit_s, []
        asked = canonical_json({"name": name, "arguments": arguments})
        keep(CALL, asked.encode() + b"\n")
        facts, outcome = await self._do(name, json.loads(asked)["arguments"])
        keep(ANSWER, canonical_json({"tool": name} | facts).encode() + b"\n")
        return Answer(self._told(facts, outcome), tuple(session.commands))

    async def _do(self, name: str, arguments: Mapping[str, Any]) -> Told:
        kind = self._kind
        if name not in kind.does:
            return refused("unknown_tool", name=name, known=", ".join(f'"{known}"' for known in kind.does))
        wrong = kind.words(name, kind.schemas[name], arguments)
        if wrong is not None:
            return refused("invalid_arguments", message=wrong)
        broken = next((key for key in _WORDS if "\0" in str(arguments.get(key, ""))), None)
        if broken is not None:
            return refused("null_byte", message=f"The argument '{broken}' must be a string without null bytes")
        try:
            return await kind.does[name](self._session, arguments)
        except ComponentError:
            raise
        except OSError as error:
            return system_fault(error, str(error.filename or self._session.root), "open")

    def _told(self, facts: Mapping[str, Any], outcome: Outcome) -> Outcome:
        """Return the outcome with the error in the family's words."""
        if "error" not in facts:
            return outcome
        message = self.renderer.render().removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
        return outcome.model_copy(update={"error": ErrorInfo(type=facts["error"], message=message[:_MESSAGE_CHARS])})


def declared(family: Family) -> tuple[Tool, ...]:
    """Return the tools of a family with their JSON schemas."""
    return _FAMILIES[family].tools


def make_toolset(family: Family, box: Box, *, timeout_s: float = TIMEOUT_S) -> Tools:
    """Return a family of tools for one trajectory in `box`."""
    return Tools(family, box, timeout_s=timeout_s)


__all__ = ["TIMEOUT_S", "Family", "Tools", "declared", "make_toolset"]
