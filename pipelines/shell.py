"""A person's session, recorded."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from worldtape.collectors.policies.human import Human
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.terminal import Terminal, TerminalConfig
from worldtape.collectors.terminal.live import Passthrough, Shown
from worldtape.pipelines.record import open_recorder
from worldtape.pipelines.record.where import local_lake
from worldtape.schemas import PolicySpec
from worldtape.storage import tape_path

_NO_LIMIT = sys.maxsize


def _deaf(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class ShellReport:
    """What a session left behind."""

    trajectory_id: str
    path: str
    steps: int
    status: str
    reason: str | None


def shell(lake: str | os.PathLike[str], config: TerminalConfig, *, say: Callable[[str], None] = _deaf) -> ShellReport:
    """Let the person at standard input work in a recorded terminal until they leave it.

    From a terminal every key is passed through, and the recorded terminal has the same size. From a file or a pipe
    each line is an action, and what is new on the screen is printed after it.

    Args:
        lake: a local folder, made where there is none.
        config: the terminal; at a person's own it has the size of that.
        say: is told once where the recording goes.

    Raises:
        ComponentError: the sandbox cannot be started.
        InputError: the lake is no local folder.
        StorageError: the tape cannot be written.
    """
    lake = local_lake(lake)
    live = sys.stdin.isatty() and sys.stdout.isatty()
    return asyncio.run(_live(lake, config, say) if live else _lines(lake, config, say))


async def _live(lake: Path, config: TerminalConfig, say: Callable[[str], None]) -> ShellReport:
    cols, rows = os.get_terminal_size(sys.stdin.fileno())
    person = Passthrough(config.model_copy(update={"cols": max(cols, 2), "rows": max(rows, 2)}), sys.stdin.fileno())
    recorder = open_recorder(person.environment, lake, policy=PolicySpec(kind="human"))
    recorder.tape = Shown(recorder.tape, sys.stdout.fileno())
    say(f"recording to {lake}; `exit` or Ctrl-D ends it")
    async with recorder:
        await person.run(recorder)
    return _report(lake, recorder)


async def _lines(lake: Path, config: TerminalConfig, say: Callable[[str], None]) -> ShellReport:
    show = _Rows()
    person = Human(show=show)
    async with open_recorder(Terminal(config), lake, policy=person) as recorder:
        say(f"recording to {lake}; each line is an action")
        await recorder.run(person, max_steps=_NO_LIMIT)
        if recorder.history.turns and recorder.last.done:
            show(recorder.history.screen)
    return _report(lake, recorder)


class _Rows:
    """Prints the rows of a screen that were not there before; the last row may have grown since."""

    def __init__(self) -> None:
        self._before: list[str] = []

    def __call__(self, screen: str) -> None:
        rows = screen.rstrip().splitlines()
        whole = self._before[:-1]
        kept = next(n for n in range(len(whole), -1, -1) if rows[:n] == whole[len(whole) - n :])
        self._before = rows
        sys.stdout.write("".join(f"{row}\n" for row in rows[kept:]))
        sys.stdout.flush()


def _report(lake: Path, recorder: Recorder) -> ShellReport:
    end, name = recorder.end, recorder.tape.trajectory_id
    assert end is not None
    return ShellReport(name, str(tape_path(lake, name, sealed=True)), end.steps, end.status.value, end.reason)
