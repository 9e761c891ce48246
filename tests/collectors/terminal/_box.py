"""A started sandbox that a test talks to without a line of asyncio."""

from __future__ import annotations

import asyncio
import os
import select
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from tests.collectors.terminal._needs import IMAGE, needs
from worldtape.collectors.terminal.sandbox import Ran, Sandbox, SandboxConfig, make_sandbox
from worldtape.schemas import Limits

Result = TypeVar("Result")
SMALL = Limits(memory_mb=256, pids=64, disk_mb=64, file_mb=256)


class Box:
    """Types keys and reads what comes."""

    def __init__(self, sandbox: Sandbox, runner: asyncio.Runner) -> None:
        self.sandbox = sandbox
        self._runner = runner

    def run(self, command: str, **options: Any) -> Ran:
        """Run a shell command out of band."""
        return self.wait_for(self.sandbox.run(["sh", "-c", command], **options))

    def wait_for(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Return what `work` gives."""
        return self._runner.run(work)

    def type(self, keys: str) -> None:
        """Send keys to the shell."""
        os.write(self.sandbox.fd, keys.encode())

    def read_until(self, mark: str, limit_s: float = 30) -> str:
        """Read what the terminal says, up to and with `mark`."""
        said = b""
        deadline = time.monotonic() + limit_s
        while mark.encode() not in said:
            left = deadline - time.monotonic()
            assert left > 0, said.decode(errors="replace")
            if select.select([self.sandbox.fd], [], [], left)[0]:
                said += os.read(self.sandbox.fd, 65536)
        return said.decode(errors="replace")

    def holds_terminal(self, args: str) -> None:
        """Return when a process with these arguments is the one that keys go to, and sleeps."""
        seen = self.run(f"until ps -eo stat=,args= | grep -q '^S[^ ]*+ *{args}'; do :; done", timeout_s=60)
        assert seen.exit_code == 0, seen

    def say(self, command: str, limit_s: float = 30) -> str:
        """Type a command and return what it printed, whatever the prompt looks like."""
        self.type(f"printf 'be%s:' gin; {command}; printf 'do%s\\n' ne\r")
        return self.read_until("done", limit_s).rpartition("begin:")[2].partition("done")[0]


def until(true: Callable[[], Any], limit_s: float = 30) -> None:
    """Return when it is so."""
    deadline = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < deadline
        os.sched_yield()


@contextmanager
def box(kind: str, **settings: Any) -> Iterator[Box]:
    """Start a sandbox with small limits, and close it."""
    needs(kind)
    config = SandboxConfig(**({"kind": kind, "image": IMAGE, "limits": SMALL} | settings))
    with asyncio.Runner() as runner:
        sandbox = make_sandbox(config)
        try:
            runner.run(sandbox.start(cols=100, rows=30))
            yield Box(sandbox, runner)
        finally:
            runner.run(sandbox.close())
