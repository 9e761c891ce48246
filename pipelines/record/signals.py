"""Being stopped in order."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def ignore_interrupts() -> None:
    """Let the main process alone act on Ctrl-C, which reaches the whole process group; run in every worker.

    A handler that does nothing, since SIG_IGN would pass on to the shells in the sandboxes.
    """
    signal.signal(signal.SIGINT, lambda *_: None)


@contextmanager
def stoppable() -> Iterator[None]:
    """Treat SIGTERM as SIGINT while this is entered; outside the main thread, do nothing.

    Where SIGINT is ignored (a background process of a script), it stays so for us, but not for the shells that are
    recorded: Ctrl-C must work in them.
    """
    terminated = False

    def terminate(*_: Any) -> None:
        nonlocal terminated
        terminated = True
        signal.raise_signal(signal.SIGINT)

    def interrupt(*_: Any) -> None:
        if terminated:
            raise KeyboardInterrupt

    wanted = {signal.SIGTERM: terminate}
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            wanted[number] = interrupt
    before: dict[signal.Signals, Any] = {}
    try:
        for number, handler in wanted.items():
            before[number] = signal.signal(number, handler)
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
