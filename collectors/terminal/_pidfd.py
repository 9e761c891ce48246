"""How a process ended that is not our child."""

from __future__ import annotations

import fcntl
import os
import struct

_GET_INFO = 0xC040FF0B
_INFO_EXIT = 1 << 3
_INFO = struct.Struct("=QQ11Ii")


def open_pidfd(pid: int) -> int | None:
    """Return a file descriptor of `pid`, to be asked after its end; None where the kernel has none."""
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None


def wait_status(pidfd: int) -> int | None:
    """Return the wait status of a process that has ended and was reaped (Linux ≥ 6.15); None when unknown."""
    data = bytearray(_INFO.pack(_INFO_EXIT, *[0] * 13))
    try:
        fcntl.ioctl(pidfd, _GET_INFO, data)
    except OSError:
        return None
    mask, *_, status = _INFO.unpack(data)
    return int(status) if mask & _INFO_EXIT else None
