"""How commands speak: data to stdout, talk to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from worldtape.cli._progress import Life


def talk() -> Console:
    """Return a console on stderr; made when used, so that redirected streams are respected."""
    return Console(stderr=True, highlight=False)


def complain(message: str) -> None:
    """Say what went wrong, on one line of stderr."""
    sys.stderr.write(f"worldtape: {message}\n")


def say(message: str) -> None:
    """Say something to the person, not to the pipe."""
    sys.stdout.flush()
    talk().print(message, markup=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """Write `value` to stdout as indented JSON."""
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode() + "\n")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str | None = None) -> None:
    """Write a table to stdout; null is shown as an empty cell, text as it is."""
    if title is not None:
        sys.stdout.write(f"{title}\n")
    table = Table(*columns, show_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*("" if cell is None else str(cell) for cell in row))
    width = None if sys.stdout.isatty() else 200
    Console(highlight=False, markup=False, emoji=False, width=width).print(table)


def print_records(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write each row as a block of `column  value` lines to stdout, for rows that are too wide for a table."""
    width = max(map(len, columns))
    for number, row in enumerate(rows, 1):
        sys.stdout.write(f"── row {number} {'─' * 60}\n")
        for name, cell in zip(columns, row, strict=True):
            if cell is not None:
                indented = str(cell).replace("\n", "\n" + " " * (width + 2))
                sys.stdout.write(f"{name:<{width}}  {indented}\n")


def progress(*, in_bytes: bool = False) -> Progress:
    """Return a progress bar on stderr for anything that takes over a second; for a log, a line now and then.

    Args:
        in_bytes: what is counted are bytes.
    """
    return Life(talk(), in_bytes=in_bytes)
