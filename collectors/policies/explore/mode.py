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


def program(command: str) -> str:
    """Return the bare name of the program in a command line (`/usr/bin/python3.11 -q` gives `python`)."""
    words = command.split()
    return _TAIL.sub("", words[0].rsplit("/", 1)[-1].lstrip("-")) if words else ""


def mode_of_program(command: str) -> Mode:
    """Return the mode that a program which waits for input stands for."""
    name = program(command)
    return next((mode for mode, names in _PROGRAMS.items() if name in names), Mode.INPUT)


def foreground(state: dict[str, Any] | None) -> str | None:
    """Return the command line of the foreground program, None where it is not known."""
    found = (state or {}).get("foreground")
    return found if isinstance(found, str) and found.strip() else None


def mode_of(result: StepResult) -> Mode | None:
    """Return the mode after a step, None where it cannot be told."""
    if result.outcome.status is Status.TIMEOUT_STILL_RUNNING:
        return Mode.RUNNING
    command = foreground(result.state_after)
    return None if command is None else mode_of_program(command)
