"""A sign of life on stderr: a bar for a person, a line now and then for a log."""

from __future__ import annotations

import sys
from threading import Event, Thread

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

_EVERY_S = 30.0


class Life(Progress):
    """A bar at a terminal; elsewhere each task is told on a line of its own every `every_s` seconds."""

    def __init__(self, console: Console, *, in_bytes: bool = False, every_s: float = _EVERY_S) -> None:
        count = DownloadColumn(binary_units=True) if in_bytes else MofNCompleteColumn()
        columns = (TextColumn("{task.description}"), BarColumn(), count, TimeElapsedColumn())
        super().__init__(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._every_s = every_s
        self._over = Event()
        self._teller: Thread | None = None

    def start(self) -> None:
        """Begin to show."""
        super().start()
        if self.disable and self._teller is None:
            self._teller = Thread(target=self._tell, daemon=True)
            self._teller.start()

    def stop(self) -> None:
        """End it, and leave nothing behind."""
        super().stop()
        self._over.set()
        if self._teller is not None:
            self._teller.join()

    def _tell(self) -> None:
        while not self._over.wait(self._every_s):
            for task in self.tasks:
                count = "" if task.total is None else f" ({task.completed:g} of {task.total:g})"
                sys.stderr.write(f"worldtape: {task.description}{count}, {task.elapsed or 0:.0f} s\n")
                sys.stderr.flush()
