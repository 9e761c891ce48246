"""Tells when Playwright's driver process dies: Playwright itself says nothing then to a browser nobody talks to."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path


def drivers() -> set[int]:
    """Return the driver processes among our own children; none where this system has no `/proc`."""
    found: set[int] = set()
    for children in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        try:
            pids = [int(pid) for pid in children.read_text().split()]
            found |= {pid for pid in pids if b"playwright/driver" in Path(f"/proc/{pid}/cmdline").read_bytes()}
        except OSError:
            continue  # a thread or a process that has ended
    return found


def watch(pid: int, died: Callable[[], None]) -> None:
    """Call `died` in the running event loop when the child `pid` ends."""
    loop = asyncio.get_running_loop()
    if not hasattr(os, "pidfd_open"):
        return
    try:
        fd = os.pidfd_open(pid)
    except OSError:
        loop.call_soon(died)
        return

    def ended() -> None:
        loop.remove_reader(fd)
        os.close(fd)
        died()

    loop.add_reader(fd, ended)


__all__ = ["drivers", "watch"]
