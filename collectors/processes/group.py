"""A program in a process group of its own, which is ended with everything it started, also when we are killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import Any

from worldtape.errors import ComponentError

_GUARD = """
trap '' INT TERM HUP
read -r _ && exit 0
n=0
while kill -s 0 -- "-$1" 2>/dev/null && [ "$n" -lt 20 ]; do sleep 0.1; n=$((n + 1)); done
kill -s KILL -- "-$1" 2>/dev/null
"""
"""Waits for a line; where its pipe ends without one, we are gone: the group has two seconds, then it is killed."""
_POLL_S = 0.01


class Group:
    """Starts `argv` as the leader of a new process group.

    The leader is reaped by `close` only, so that nobody else gets its number while signals are sent to the group. What
    leaves the group on purpose (a daemon) is out of reach.

    Args:
        argv: the program and its arguments.
        env: its whole environment.
        cwd: where it starts.
        fds: `stdin`, `stdout` and `stderr` as `subprocess.Popen` takes them.

    Raises:
        ComponentError: it cannot be started.
    """

    def __init__(
        self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str | None = None, **fds: Any
    ) -> None:
        try:
            self.popen = subprocess.Popen(argv, env=env, cwd=cwd, start_new_session=True, bufsize=0, **fds)
        except (OSError, ValueError) as error:
            what = f"the server cannot be started: {error}"
            raise ComponentError(what, where=argv[0] if argv else None, fix="check its command and folder") from error
        self.pid = self.popen.pid
        self.pidfd = _pidfd(self.pid)
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "worldtape-guard", str(self.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._status: int | None = None
        self._closed = False

    def status(self) -> int | None:
        """Return the leader's exit code or, negative, the signal that ended it; None while it lives."""
        if self._status is None:
            try:
                found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:  # somebody else took its status
                self._status = self.popen.poll() or 0
                return self._status
            if found is not None and found.si_pid:
                self._status = found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
        return self._status

    def signal(self, number: int) -> None:
        """Send a signal to the whole group."""
        if self._closed:
            return
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return

    def wait(self, seconds: float) -> bool:
        """Wait until the leader has ended, and tell whether it has."""
        until = time.monotonic() + seconds
        while self.status() is None:
            left = until - time.monotonic()
            if left <= 0:
                return False
            if self.pidfd is None:
                time.sleep(min(_POLL_S, left))
            else:
                select.select([self.pidfd], [], [], left)
        return True

    def close(self) -> None:
        """Kill what is left of the group, and reap the leader."""
        if self._closed:
            return
        self.signal(signal.SIGKILL)
        status = self.popen.wait()
        self._status = status if self._status is None else self._status
        self._closed = True
        if self.pidfd is not None:
            os.close(self.pidfd)
            self.pidfd = None
        try:
            self._guard.communicate(b"\n")
        except BrokenPipeError:
            self._guard.wait()


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None


__all__ = ["Group"]
