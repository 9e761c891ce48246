"""A container for a module's tests, and an event loop that lives as long."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from worldtape.collectors.swe.box import Box
from worldtape.collectors.terminal.sandbox import SandboxConfig

T = TypeVar("T")


class Held:
    """A box, and how coroutines about it are run: all in one event loop.

    `held.do(held.box.run("ls"))` gives what the coroutine gives.
    """

    def __init__(self, runner: asyncio.Runner, box: Box) -> None:
        self.runner = runner
        self.box = box

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine."""
        return self.runner.run(work)

    def empty(self) -> None:
        """Remove what lies in the working folder."""
        self.do(self.box.run("find . -mindepth 1 -delete"))


@contextmanager
def held_box(workdir: str = "/workspace") -> Iterator[Held]:
    """Give a box that is started; it is removed at the end."""
    with asyncio.Runner() as runner:
        held = Held(runner, Box(SandboxConfig(kind="docker"), workdir=workdir))
        held.do(held.box.__aenter__())
        try:
            yield held
        finally:
            held.do(held.box.close())
