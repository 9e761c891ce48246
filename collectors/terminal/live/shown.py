"""A tape that shows what comes in while it is written."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from worldtape.schemas import End, Tape

_MARK = re.compile(rb"\x1b\]877[12];[^\x07\x1b]{0,96}\x07")
_BEGUN = re.compile(rb"\x1b(\](8(7(7([12](;[^\x07\x1b]{0,96})?)?)?)?)?)?\Z")
"""The beginning of a mark whose end has not come yet."""


class Shown:
    """Writes the terminal's output to a file descriptor, after the tape has it; our own marks are not shown.

    Args:
        tape: keeps everything.
        fd: the person's terminal; blocking.
    """

    def __init__(self, tape: Tape, fd: int = 1) -> None:
        self.trajectory_id = tape.trajectory_id
        self._tape = tape
        self._fd = fd
        self._held = b""

    def __call__(self, channel: str, data: bytes, mono_ns: int) -> None:
        """Record `data`, and show it if it is output."""
        self._tape(channel, data, mono_ns)
        if channel != "pty":
            return
        data = _MARK.sub(b"", self._held + data)
        begun = _BEGUN.search(data)
        self._held = b"" if begun is None else begun[0]
        data = data.removesuffix(self._held)
        while data:
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
