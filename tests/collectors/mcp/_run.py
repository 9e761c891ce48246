"""Coroutines as tests."""

from __future__ import annotations

import asyncio
import functools
import os
import select
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a coroutine function as a test, in an event loop of its own."""

    @functools.wraps(test)
    def run(*args: Any, **given: Any) -> None:
        asyncio.run(test(*args, **given))

    return run


def alive(pid: int) -> bool:
    """Tell whether a process still runs; a zombie that nobody has reaped yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def until_gone(pid: int) -> None:
    """Wait for the end of a process that is not ours, which is on its way."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    with os.fdopen(fd):
        ended, _, _ = select.select([fd], [], [], 20)
    assert ended or not alive(pid)
