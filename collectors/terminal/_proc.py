"""What the host's `/proc` says about processes of a terminal: 0.03 ms a look, invisible from inside."""

from __future__ import annotations

import math
import os
import platform
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass

_TTY = (5, 0)
_POLLIN = 1
_MOST_FDS = 1024

# System calls that can wait for input: what their first arguments mean, and where and in which unit the time stands
# that they wait at most: milliseconds, or the address of seconds and micro- or nanoseconds.
_READ = ("read", 0, "")
_PPOLL, _PSELECT = ("poll", 2, "ns"), ("select", 4, "ns")
_EPOLL, _EPOLL2 = ("epoll", 3, "ms"), ("epoll", 3, "ns")
_CALLS: dict[str, dict[int, tuple[str, int, str]]] = {
    "x86_64": {0: _READ, 19: _READ, 7: ("poll", 2, "ms"), 271: _PPOLL, 23: ("select", 4, "us"), 270: _PSELECT,
               232: _EPOLL, 281: _EPOLL, 441: _EPOLL2},
    "aarch64": {63: _READ, 65: _READ, 73: _PPOLL, 72: _PSELECT, 22: _EPOLL, 441: _EPOLL2},
}  # fmt: skip
_NAMES = _CALLS.get(platform.machine(), {})


@dataclass(frozen=True, slots=True)
class Stat:
    """The fields of `/proc/PID/stat` that matter here."""

    comm: str
    state: str
    parent: int
    group: int
    tty: tuple[int, int]
    foreground: int
    threads: int
    program: int
    """Changes when the process executes another program."""
    status: int
    """The wait status of a zombie: its exit code × 256, or the signal that ended it."""


def read_stat(pid: int) -> Stat | None:
    """Return what the kernel says about `pid`; None when it is gone."""
    text = read(f"/proc/{pid}/stat")
    return None if text is None else _parsed(text)


class Known:
    """A process that is looked at often: two files of its `/proc` stay open, and always mean the same process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._stat = _opened(f"/proc/{pid}/stat")
        self._call = _opened(f"/proc/{pid}/task/{pid}/syscall") if _NAMES else -1

    def stat(self) -> Stat | None:
        """Return what the kernel says about it; None when it is gone."""
        text = self.text()
        return None if text is None else _parsed(text)

    def text(self) -> bytes | None:
        """Return the line of `stat`; None when it is gone."""
        return _again(self._stat)

    def call(self) -> bytes | None:
        """Return the system call that its first thread is in, as `/proc` has it; None where that cannot be seen."""
        return _again(self._call)

    def close(self) -> None:
        """Let go of the files."""
        for fd in (self._stat, self._call):
            if fd >= 0:
                os.close(fd)
        self._stat = self._call = -1


def _opened(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _again(fd: int) -> bytes | None:
    try:
        return None if fd < 0 else os.pread(fd, 4096, 0)
    except OSError:
        return None


def _parsed(text: bytes) -> Stat:
    head, _, tail = text.rpartition(b")")
    fields = tail.split()
    number = int(fields[4])
    tty = (number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00)
    comm = head.partition(b"(")[2].decode("utf-8", "replace")
    return Stat(
        comm,
        fields[0].decode(),
        int(fields[1]),
        int(fields[2]),
        tty,
        int(fields[5]),
        int(fields[17]),
        int(fields[45]),
        int(fields[49]),
    )


def waits_for(pid: int, tty: tuple[int, int], threads: int, known: Known | None = None) -> float | None:
    """Say for how long `pid` sleeps at most in a system call that waits for input of the terminal.

    Args:
        pid: the process.
        tty: the terminal's device, major and minor.
        threads: how many `pid` has.
        known: the same process, where it is looked at often.

    Returns:
        Seconds, infinite where only input ends it; −1 where it does not wait; None when that cannot be seen.
    """
    found = _task_waits(pid, pid, tty, known)
    if threads <= 1 or found == math.inf:
        return found
    for name in names(f"/proc/{pid}/task"):
        waits = None if int(name) == pid else _task_waits(pid, int(name), tty)
        if waits is not None and (found is None or waits > found) and waits >= 0:
            found = waits
    return found


def members(root: int, group: int) -> Iterator[int]:
    """Yield the descendants of `root` that are in the process group `group`, the leader first."""
    yield group
    queue = [root]
    while queue:
        for pid in _children(queue.pop()):
            found = read_stat(pid)
            if found is None:
                continue
            queue.append(pid)
            if found.group == group and pid != group:
                yield pid


def _task_waits(pid: int, task: int, tty: tuple[int, int], known: Known | None = None) -> float | None:
    line = None if known is None else known.call()
    if line is None:
        line = read(f"/proc/{pid}/task/{task}/syscall") if _NAMES else None
    if line is None:
        return None if os.path.exists(f"/proc/{pid}") else -1  # noqa: PTH110
    words = line.split()
    if len(words) < 7 or not words[0].isdigit():  # noqa: PLR2004
        return -1
    call, place, unit = _NAMES.get(int(words[0]), ("", 0, ""))
    arguments = [int(word, 16) for word in words[1:7]]
    if not call or not any(_is_tty(pid, fd, tty) for fd in _waited(pid, call, *arguments[:2])):
        return -1
    longest = _longest(pid, arguments[place], unit)
    # A task that a signal is just waking still stands in its system call, but no longer sleeps.
    after = read(f"/proc/{pid}/task/{task}/stat") if known is None else known.text()
    return longest if after is not None and after.rpartition(b")")[2].split()[0] == b"S" else -1


def _longest(pid: int, argument: int, unit: str) -> float:
    """Return the seconds that an argument of a system call stands for; infinite for none, or where they are hidden."""
    if unit == "ms":
        limit = argument & 0xFFFFFFFF
        return math.inf if limit >> 31 else limit / 1e3
    data = _memory(pid, argument, 16) if unit and argument else b""
    if len(data) < 16:  # noqa: PLR2004
        return math.inf
    whole, part = struct.unpack("=qq", data)
    return float(whole + part / (1e6 if unit == "us" else 1e9))


def _waited(pid: int, call: str, first: int, second: int) -> Iterator[int]:
    if call == "read":
        yield first
    elif call == "poll":
        data = _memory(pid, first, 8 * min(second, _MOST_FDS))
        for fd, events, _ in struct.iter_unpack("=ihh", data):
            if fd >= 0 and events & _POLLIN:
                yield fd
    elif call == "select":
        data = _memory(pid, second, (min(first, _MOST_FDS) + 63) // 64 * 8) if second else b""
        bits = int.from_bytes(data, "little")
        yield from (fd for fd in range(min(first, _MOST_FDS)) if bits >> fd & 1)
    else:
        yield from _epolled(pid, first)


def _epolled(pid: int, epoll: int) -> Iterator[int]:
    for line in (read(f"/proc/{pid}/fdinfo/{epoll}") or b"").splitlines():
        words = line.split()
        if len(words) > 3 and words[0] == b"tfd:" and int(words[3], 16) & _POLLIN:  # noqa: PLR2004
            yield int(words[1])


def _is_tty(pid: int, fd: int, tty: tuple[int, int]) -> bool:
    try:
        found = os.stat(f"/proc/{pid}/fd/{fd}")  # noqa: PTH116
    except OSError:
        return False
    device = (os.major(found.st_rdev), os.minor(found.st_rdev))
    return stat.S_ISCHR(found.st_mode) and device in (tty, _TTY)


def _memory(pid: int, address: int, size: int) -> bytes:
    try:
        fd = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        data = os.pread(fd, size, address)
    except (OSError, OverflowError):
        return b""
    finally:
        os.close(fd)
    return data[: len(data) // 8 * 8]


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in names(f"/proc/{pid}/task"):
        found.extend(int(child) for child in (read(f"/proc/{pid}/task/{task}/children") or b"").split())
    return found


def names(folder: str) -> list[str]:
    """Return what stands in a folder of `/proc`; nothing where it cannot be read."""
    try:
        return os.listdir(folder)  # noqa: PTH208
    except OSError:
        return []


def read(path: str) -> bytes | None:
    """Return at most 64 KiB of a file of `/proc`; None where it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(fd, 65536)
    except OSError:
        return None
    finally:
        os.close(fd)
