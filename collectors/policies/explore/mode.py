"""Who reads the next keys."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any

from worldtape.schemas import Status, StepResult


class Mode(StrEnum):
    """What stands in the foreground of the terminal."""

    SHELL = "shell"
    EDITOR = "editor"
    REPL = "repl"
    PAGER = "pager"
    INPUT = "input"
    """Another program that waits for input."""
    RUNNING = "running"
    """A program that waits for nothing."""


_PROGRAMS = {
    Mode.SHELL: {"bash", "sh", "dash", "zsh", "ash", "ksh", "busybox", "fish"},
    Mode.EDITOR: {"vi", "vim", "view", "nvim", "nano", "pico", "ed", "red", "ex", "emacs"},
    Mode.REPL: {"python", "bc", "dc", "sqlite", "node", "irb", "lua", "psql", "gdb", "perl"},
    Mode.PAGER: {"less", "more", "most", "man", "pager", "git-pager"},
}
_TAIL = re.compile(r"[-.\d].*$")


def foreground(state: dict[str, Any] | None) -> str | None:
    """Return the bare name of the foreground program (`vim.basic` gives `vim`), None where it is not known."""
    found = (state or {}).get("foreground")
    if isinstance(found, dict):
        found = found.get("name") or found.get("command")
    if isinstance(found, list):
        found = found[0] if found else None
    if not isinstance(found, str) or not found.strip():
        return None
    return _TAIL.sub("", found.split()[0].rsplit("/", 1)[-1].lstrip("-"))


def mode_of(result: StepResult) -> Mode | None:
    """Return the mode after a step, None where it cannot be told."""
    if result.outcome.status is Status.TIMEOUT_STILL_RUNNING:
        return Mode.RUNNING
    name = foreground(result.state_after)
    if name is None:
        return None
    return next((mode for mode, names in _PROGRAMS.items() if name in names), Mode.INPUT)
