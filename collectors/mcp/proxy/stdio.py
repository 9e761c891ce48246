"""A proxy between a client at our standard streams and a server that we start."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from worldtape.collectors.mcp.proxy._keeper import Keeper
from worldtape.collectors.mcp.render.result import ERR, IN, OUT
from worldtape.collectors.processes import Group
from worldtape.schemas import End, EndStatus

_READ = 1 << 16
"""Bytes read at once: never so many that they become a blob, so that all stands in the tape's own file."""
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_GRACE_S = 5.0
"""So long a server may go on whose client is gone altogether, and two seconds more after SIGTERM."""
_TERM_S = 2.0
_LOOK_S = 1.0
_SWITCH_S = 0.0005
"""So long a thread of ours may keep the others from running; Python's own 5 ms would be seen by the client."""
_DRAIN_S = 2.0
"""So long we read on from pipes that somebody holds open when the server is gone."""


class StdioProxy:
    """Starts `argv` and passes on, unchanged and as they come: stdin, stdout, stderr, signals, the end of each stream.

    Bytes are put on the tape before they are passed on (`Keeper`). The server runs in a process group of its own, which
    is ended with us, whatever ends us.

    Args:
        argv: the server and its arguments; environment and folder are ours.
        keeper: of the tape.
        fds: the client's ends: its output, its input, its stderr.
    """

    def __init__(self, argv: Sequence[str], keeper: Keeper, *, fds: tuple[int, int, int] = (0, 1, 2)) -> None:
        self._argv = tuple(argv)
        self._keeper = keeper
        self._in, self._out, self._err = fds
        self._client_left = threading.Event()
        self._running: dict[str, threading.Thread] = {}
        self._wake_r, self._wake_w = os.pipe()
        os.set_blocking(self._wake_w, False)

    def run(self) -> int:
        """Pass on until the server has ended; return its exit code or, negative, the signal that ended it.

        Raises:
            ComponentError: it cannot be started; the tape says so.
        """
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a client may have us ignore it: then nobody learns of exits
        sys.setswitchinterval(_SWITCH_S)
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        try:
            group = Group(self._argv, **pipes)
        except Exception as error:
            self._keeper.close(End(status=EndStatus.FAILED, reason=f"the start failed: {error}", steps=0))
            raise
        before = {number: signal.signal(number, self._forward(group)) for number in _FORWARDED}
        self._pumps(group)
        try:
            self._watch(group)
            until = time.monotonic() + _DRAIN_S
            for channel in (IN, ERR):
                while self._running[channel].is_alive() and time.monotonic() < until:
                    self._running[channel].join(until - time.monotonic())
        finally:
            status = group.status()
            group.close()
            for number, handler in before.items():
                signal.signal(number, handler)
        status = group.status() if status is None else status
        assert status is not None
        self._keeper.note("server_exit", **{"exit_code" if status >= 0 else "signal": abs(status)})
        how = f"the server exited with {status}" if status >= 0 else f"the server was ended by signal {-status}"
        clean = self._client_left.is_set()
        self._keeper.close(End(status=EndStatus.COMPLETED if clean else EndStatus.ENV_ENDED, reason=how, steps=0))
        return status

    def _pumps(self, group: Group) -> None:
        popen = group.popen
        assert popen.stdin is not None
        assert popen.stdout is not None
        assert popen.stderr is not None
        there, back, err = (os.dup(pipe.fileno()) for pipe in (popen.stdin, popen.stdout, popen.stderr))
        for pipe in (popen.stdin, popen.stdout, popen.stderr):
            pipe.close()
        ways = ((self._in, there, OUT), (back, self._out, IN), (err, self._err, ERR))
        self._running = {way[2]: threading.Thread(target=self._pump, args=way, daemon=True) for way in ways}
        for pump in list(self._running.values()):
            pump.start()

    def _pump(self, source: int, target: int, channel: str, held: bytes = b"") -> None:
        """Pass on until either side ends, and let the other side see it.

        Args:
            source: is read.
            target: is written.
            channel: of the tape.
            held: is passed on first: the disk holds up somebody who was to do so.
        """
        try:
            _pass_on(target, held)
            while data := os.read(source, _READ):
                if not self._keeper.put(channel, data, partial(self._rescue, source, target, channel, data)):
                    return
                _pass_on(target, data)
            if channel == OUT:
                self._client_left.set()
                self._wake()
        except OSError:
            pass  # the reader has left: the writer learns of it as it would without us
        for fd in (source, target):
            _let_go(fd)

    def _rescue(self, source: int, target: int, channel: str, held: bytes) -> None:
        """Go on in place of a thread that the disk holds up."""
        pump = threading.Thread(target=self._pump, args=(source, target, channel, held), daemon=True)
        self._running[channel] = pump
        pump.start()

    def _watch(self, group: Group) -> None:
        """Wait for the end of the server; one whose client is gone altogether is ended after a grace."""
        until: float | None = None
        while group.status() is None:
            self._sleep(group, _LOOK_S)
            if not self._client_left.is_set() or group.status() is not None or not self._nobody_reads():
                until = None
                continue
            now = time.monotonic()
            until = until or now + _GRACE_S
            if now >= until:
                group.signal(signal.SIGTERM)
                if not group.wait(_TERM_S):
                    group.signal(signal.SIGKILL)
                    group.wait(_TERM_S)

    def _sleep(self, group: Group, seconds: float) -> None:
        ends = [self._wake_r] if group.pidfd is None else [self._wake_r, group.pidfd]
        ready, _, _ = select.select(ends, [], [], seconds if group.pidfd is not None else min(seconds, 0.02))
        if self._wake_r in ready:
            os.read(self._wake_r, 64)

    def _nobody_reads(self) -> bool:
        poll = select.poll()
        poll.register(self._out, 0)
        return any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))

    def _wake(self) -> None:
        try:
            os.write(self._wake_w, b"!")
        except BlockingIOError:
            return

    def _forward(self, group: Group) -> Any:
        def forward(number: int, _frame: Any) -> None:
            group.signal(number)
            self._wake()

        return forward


def _pass_on(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def _let_go(fd: int) -> None:
    """Close a descriptor; one of the standard streams leads nowhere from now on, so that its number stays taken."""
    if fd > 2:  # noqa: PLR2004
        os.close(fd)
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, fd)
    os.close(nowhere)


def end_like(status: int) -> int:
    """Return the exit code of a server that exited; die by the same signal as one that was ended by one."""
    if status >= 0:
        return status
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if -status not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
    return 128 - status


__all__ = ["StdioProxy", "end_like"]
