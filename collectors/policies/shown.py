"""A tape that shows what comes in while it is written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from worldtape.schemas import End, Tape


class Shown:
    """Writes the terminal's output to a file descriptor, after the tape has it.

    Args:
        tape: keeps everything.
        fd: the person's terminal; blocking.
    """

    def __init__(self, tape: Tape, fd: int = 1) -> None:
        self.trajectory_id = tape.trajectory_id
        self._tape = tape
        self._fd = fd

    def __call__(self, channel: str, data: bytes, mono_ns: int) -> None:
        """Record `data`, and show it if it is output."""
        self._tape(channel, data, mono_ns)
        while channel == "pty" and data:
            try:
                data = data[os.write(self._fd, data) :]
            except OSError:  # nobody looks any more; the recording goes on
                return

    def append(self, kind: str, data: Mapping[str, Any], *, step: int | None = None) -> int:
        """Write one event and return its `seq`."""
        return self._tape.append(kind, data, step=step)

    def blob(self, data: bytes) -> str:
        """Keep `data` as a blob and return its `sha256:…`."""
        return self._tape.blob(data)

    def sync(self) -> None:
        """Make everything written so far survive a crash of the machine."""
        self._tape.sync()

    def seal(self, end: End) -> None:
        """Write the end and move the tape to its place."""
        self._tape.seal(end)

    def close(self) -> None:
        """Let go of the tape."""
        self._tape.close()
