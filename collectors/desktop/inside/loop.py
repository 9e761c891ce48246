"""The one loop of the process: everything that comes is an event of GLib's."""

from __future__ import annotations

import time
from collections.abc import Callable

from gi.repository import GLib


def turn(until: float) -> None:
    """Wait for the next event, at most to a moment (monotonic s), and handle it."""
    left = until - time.monotonic()
    context = GLib.MainContext.default()
    if left <= 0:
        context.iteration(False)
        return
    source = GLib.timeout_source_new(max(1, int(left * 1000)))
    source.set_callback(lambda *_: False)
    source.attach(context)
    context.iteration(True)
    source.destroy()


def wait(done: Callable[[], bool], deadline: float) -> bool:
    """Handle events until `done`, at most to the deadline (monotonic s); say whether it is."""
    while not done():
        if time.monotonic() >= deadline:
            return False
        turn(deadline)
    return True
