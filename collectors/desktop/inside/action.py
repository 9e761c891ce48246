"""One action: a process of its own that runs the code, what it prints, and how it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from gi.repository import GLib

from worldtape.collectors.desktop.inside.loop import wait
from worldtape.collectors.desktop.inside.processes import Processes

_OUTPUT = 1 << 16


class Pipe:
    """Keeps what comes through a pipe, as far as there is room."""

    def __init__(self) -> None:
        self._ours, self.theirs = os.pipe()
        os.set_blocking(self._ours, False)
        self.data = bytearray()
        self.left_out = 0

    def drain(self, *_: object) -> bool:
        """Read what has come."""
        with suppress(OSError):
            while more := os.read(self._ours, 1 << 16):
                room = max(0, _OUTPUT - len(self.data))
                self.data += more[:room]
                self.left_out += len(more) - len(more[:room])
            return False
        return True

    def watch(self) -> None:
        """Read whatever comes from now on."""
        os.close(self.theirs)
        GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self._ours, GLib.IO_IN | GLib.IO_HUP, self.drain)


def act(processes: Processes, code: str, timeout_s: float) -> dict[str, Any]:
    """Run `code` and wait for its end; what takes longer than `timeout_s` is killed.

    Returns:
        `code` (exit code or, negative, signal; None: killed for its time), `output`, `error` (see `run`), and
        `seconds`.
    """
    started = time.monotonic()
    output, told = Pipe(), Pipe()
    script = str(Path(__file__).with_name("run.py"))
    made = subprocess.Popen(
        [sys.executable, script, str(told.theirs)],
        stdin=subprocess.PIPE,
        stdout=output.theirs,
        stderr=output.theirs,
        pass_fds=[told.theirs],
        start_new_session=True,
        cwd=Path.home(),
    )
    pid = processes.adopt(made)
    output.watch()
    told.watch()
    with suppress(BrokenPipeError):
        assert made.stdin is not None
        made.stdin.write(code.encode("utf-8", "surrogateescape"))
        made.stdin.close()
    ended = wait(lambda: pid in processes.ended, started + timeout_s)
    if not ended:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        wait(lambda: pid in processes.ended, time.monotonic() + timeout_s)
    output.drain()
    told.drain()
    text = output.data.decode("utf-8", "replace")
    return {
        "code": processes.exit_of(pid) if ended else None,
        "output": text + (f"\n[{output.left_out} bytes left out]\n" if output.left_out else ""),
        "error": json.loads(told.data or b"{}") or None,
        "seconds": round(time.monotonic() - started, 4),
    }
