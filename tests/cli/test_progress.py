"""A command that takes long shows that it lives, also where nobody has a terminal."""

from __future__ import annotations

import io
import sys
from threading import Event

import pytest
from rich.console import Console

from worldtape.cli._progress import Life


class Log(io.StringIO):
    """Standard error that tells when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.came = Event()

    def write(self, text: str) -> int:
        done = super().write(text)
        self.came.set()
        return done


def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    monkeypatch.setattr(sys, "stderr", log)
    with Life(Console(file=io.StringIO()), every_s=0.01) as bar:
        task = bar.add_task("starting", total=None)
        assert log.came.wait(20)
        bar.update(task, description="recording; 2 failed, the newest: gone", completed=3, total=9)
        while "3 of 9" not in log.getvalue():
            log.came.clear()
            assert log.came.wait(20)
    first, *_, last = log.getvalue().splitlines()
    assert first.startswith("worldtape: starting, ")
    assert last.startswith("worldtape: recording; 2 failed, the newest: gone (3 of 9), ")


def test_what_is_quick_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    monkeypatch.setattr(sys, "stderr", log)
    with Life(Console(file=io.StringIO())) as bar:
        bar.add_task("quick")
    assert log.getvalue() == ""
