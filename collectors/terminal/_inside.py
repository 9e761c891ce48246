"""A look from inside, for containers whose processes this machine cannot see: slow, so only asked at rest."""

from __future__ import annotations

import time
from importlib.resources import files

from worldtape.collectors.terminal.sandbox import Sandbox
from worldtape.collectors.terminal.settle import Look
from worldtape.errors import WorldtapeError

_APART_S = 0.4
_TIMEOUT_S = 10.0
_FIELDS = 5


class Inside:
    """Asks the sandbox itself, by a command beside the shell.

    Attributes:
        cwd: working directory of the foreground process at the newest look; None before any.
        uid: its user id.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._script = files("worldtape.collectors.terminal").joinpath("_inside.sh").read_bytes()
        self._next = 0.0
        self.cwd: str | None = None
        self.uid: int | None = None

    def forget(self) -> None:
        """Begin a new action: what was seen before says nothing about it."""
        self.cwd = self.uid = None
        self._next = 0.0

    async def look(self) -> Look | None:
        """Look once; None when it is too early for another look, or when it failed."""
        if time.monotonic() < self._next:
            return None
        try:
            ran = await self._sandbox.run(["sh"], stdin=self._script, timeout_s=_TIMEOUT_S)
        except (WorldtapeError, OSError):
            return None
        finally:
            self._next = time.monotonic() + _APART_S
        fields = ran.text.rstrip("\n").split("\t")
        if ran.exit_code != 0 or len(fields) != _FIELDS:
            return None
        waits, pid, command, uid, cwd = fields
        self.uid, self.cwd = int(uid) if uid.isdigit() else None, cwd or None
        return Look(alive=True, waiting=waits == "1", pid=int(pid), command=command)
