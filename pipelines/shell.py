"""A person's session, recorded."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from worldtape.collectors.policies.human import Human
from worldtape.collectors.policies.passthrough import Passthrough
from worldtape.collectors.policies.shown import Shown
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.terminal import Terminal, TerminalConfig
from worldtape.pipelines.record import open_recorder
from worldtape.pipelines.record.where import local_lake
from worldtape.schemas import PolicySpec
from worldtape.storage import tape_path

_NO_LIMIT = sys.maxsize


@dataclass(frozen=True, slots=True)
class ShellReport:
    """What a session left behind."""

    trajectory_id: str
    path: str
    steps: int
    status: str
    reason: str | None


def shell(lake: str | os.PathLike[str], config: TerminalConfig) -> ShellReport:
    """Let the person at standard input work in a recorded terminal until they leave it.

    From a terminal every key is passed through, and the recorded terminal has the same size. From a file or a pipe
    each line is an action, and the screen is printed after it.

    Raises:
        ComponentError: the sandbox cannot be started.
        InputError: the lake is no local folder.
        StorageError: the tape cannot be written.
    """
    lake = local_lake(lake)
    live = sys.stdin.isatty() and sys.stdout.isatty()
    return asyncio.run(_live(lake, config) if live else _lines(lake, config))


async def _live(lake: Path, config: TerminalConfig) -> ShellReport:
    cols, rows = os.get_terminal_size(sys.stdin.fileno())
    person = Passthrough(config.model_copy(update={"cols": max(cols, 2), "rows": max(rows, 2)}), sys.stdin.fileno())
    recorder = open_recorder(person.environment, lake, policy=PolicySpec(kind="human"))
    recorder.tape = Shown(recorder.tape, sys.stdout.fileno())
    async with recorder:
        await person.run(recorder)
    return _report(lake, recorder)


async def _lines(lake: Path, config: TerminalConfig) -> ShellReport:
    person = Human(show=_print)
    async with open_recorder(Terminal(config), lake, policy=person) as recorder:
        await recorder.run(person, max_steps=_NO_LIMIT)
        if recorder.history.turns and recorder.last.done:
            _print(recorder.history.screen)
    return _report(lake, recorder)


def _print(screen: str) -> None:
    sys.stdout.write(screen.rstrip() + "\n")
    sys.stdout.flush()


def _report(lake: Path, recorder: Recorder) -> ShellReport:
    end, name = recorder.end, recorder.tape.trajectory_id
    assert end is not None
    return ShellReport(name, str(tape_path(lake, name, sealed=True)), end.steps, end.status.value, end.reason)
