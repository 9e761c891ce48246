"""The near end of a container's terminal, which the container runtime holds."""

from __future__ import annotations

import ctypes
import os

from worldtape.collectors.terminal import _proc

_PIDFD_GETFD = 438
_DEPTH = 4


def borrow_master(shell: int) -> int | None:
    """Return a copy of the runtime's file descriptor for the terminal of `shell`, non-blocking as the runtime left it.

    Keys that are written to it have reached the terminal when the write returns; by way of a daemon they would come
    at some later time. None where the kernel or our rights do not allow it.
    """
    found = _proc.read_stat(shell)
    if found is None:
        return None
    holder = found.parent
    for _ in range(_DEPTH):
        fd = _master_of(holder, found.tty[1])
        if fd is not None:
            return fd
        above = _proc.read_stat(holder)
        if above is None or above.parent <= 1:
            return None
        holder = above.parent
    return None


def _master_of(pid: int, number: int) -> int | None:
    for name in _proc.names(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")  # noqa: PTH115
        except OSError:
            continue
        if target.endswith("ptmx") and f"tty-index:\t{number}\n".encode() in (
            _proc.read(f"/proc/{pid}/fdinfo/{name}") or b""
        ):
            return _copy(pid, int(name))
    return None


def _copy(pid: int, fd: int) -> int | None:
    try:
        pidfd = os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None
    try:
        copy = ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, pidfd, fd, 0)
    finally:
        os.close(pidfd)
    return int(copy) if copy >= 0 else None
