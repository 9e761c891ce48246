"""Does the terminal wait for input? Asked of the kernel, not of a timer and not of a prompt string."""

from __future__ import annotations

import math
import os
import select
import termios
from dataclasses import dataclass

from worldtape.collectors.terminal import _proc
from worldtape.collectors.terminal._pidfd import open_pidfd, wait_status

SHELLS = frozenset({"ash", "bash", "busybox", "dash", "fish", "ksh", "mksh", "sh", "zsh"})
"""Command names of shells."""

RELAYS = frozenset(
    {"docker", "kubectl", "mosh-client", "nc", "picocom", "screen", "script", "socat", "ssh", "telnet", "tmux: client"}
)
"""Programs that always wait for input, since they pass it on to a terminal that cannot be seen from here."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one look found.

    Attributes:
        alive: whether the session's first process still lives.
        waiting: whether the foreground process waits for input, with nothing typed that it has not read.
        pid: the process that waits, or the leader of the foreground group.
        command: its name.
        longest: seconds after which it goes on without input; infinite where only input lets it go on.
        seen: false where `/proc` does not let us look.
    """

    alive: bool
    waiting: bool = False
    pid: int | None = None
    command: str | None = None
    longest: float = math.inf
    seen: bool = True


GONE = Look(alive=False)


class Watch:
    """Looks at one terminal from outside.

    Typed keys reach the reader by way of a kernel queue. Polling the terminal's own end flushes that queue, and says
    whether something is still unread; so a reader that was woken by keys is never taken for one that waits.

    Args:
        shell: process id of the session's first process, in our own `/proc`.
    """

    def __init__(self, shell: int) -> None:
        self.shell = shell
        self.status: int | None = None
        """The wait status of the session's first process, where it was seen after its end."""
        self.gone = False
        """Whether the session's first process was seen to have ended."""
        self.program = 0
        """Changes when the session's first process executes another program."""
        self._slave: int | None = None
        self._poll = select.poll()
        self._pidfd = open_pidfd(shell)
        self._known = _proc.Known(shell)

    def _open(self) -> None:
        """Open the terminal's own end by way of the shell, once the shell itself has it."""
        found = _proc.read_stat(self.shell)
        for number in (0, 1, 2, 255) if found else ():
            try:
                fd = os.open(f"/proc/{self.shell}/fd/{number}", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError:
                continue
            device = os.fstat(fd).st_rdev
            if found is not None and (os.major(device), os.minor(device)) == found.tty:
                self._slave = fd
                self._poll.register(fd, select.POLLIN)
                return
            os.close(fd)

    @property
    def slave(self) -> int | None:
        """A file descriptor of the terminal's own end; None where it cannot be opened."""
        return self._slave

    def look(self) -> Look:
        """Look once."""
        if self._slave is None:
            self._open()
        unread = self._unread()
        shell = self._known.stat()
        if shell is None:
            if self.status is None and self._pidfd is not None:
                self.status = wait_status(self._pidfd)
            self.gone = True
            return GONE
        if shell.state in "ZX":
            self.status, self.gone = shell.status, True
            return GONE
        self.program = shell.program
        if shell.foreground <= 0:
            return Look(alive=True)
        who, command, longest, seen = self._reader(shell)
        if longest < 0:
            return Look(alive=True, pid=who, command=command, seen=seen)
        longest = min(longest, self._read_s())
        return Look(alive=True, waiting=not unread, pid=who, command=command, longest=longest)

    def _reader(self, shell: _proc.Stat) -> tuple[int, str | None, float, bool]:
        """Return who of the foreground group waits for input the longest, else its leader.

        Returns:
            Its pid and name, the seconds (−1: nobody waits), and whether all could be seen.
        """
        best, who, command, seen = -1.0, shell.foreground, None, True
        for pid in _proc.members(self.shell, shell.foreground):
            found = shell if pid == self.shell else _proc.read_stat(pid)
            known = self._known if pid == self.shell else None
            waits = -1.0 if found is None else _proc.waits_for(pid, shell.tty, found.threads, known)
            seen = seen and waits is not None
            better = waits is not None and waits > best
            if found is not None and (better or pid == who):
                command = found.comm
            if waits is not None and better:
                best, who = waits, pid
            if best == math.inf:
                break
        return who, command, best, seen

    def close(self) -> None:
        """Let go of the terminal."""
        for fd in (self._slave, self._pidfd):
            if fd is not None:
                os.close(fd)
        self._slave = self._pidfd = None
        self._known.close()

    def _unread(self) -> bool:
        return self._slave is not None and any(event & select.POLLIN for _, event in self._poll.poll(0))

    def _read_s(self) -> float:
        """Return the seconds after which a read of the terminal gives up; infinite, but for modes with VMIN 0."""
        try:
            mode = None if self._slave is None else termios.tcgetattr(self._slave)
        except termios.error:
            mode = None
        if mode is None or mode[3] & termios.ICANON or mode[6][termios.VMIN] != 0:
            return math.inf
        return int(mode[6][termios.VTIME]) / 10


__all__ = ["GONE", "RELAYS", "SHELLS", "Look", "Watch"]
