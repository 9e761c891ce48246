"""Pseudo-terminals, opened by us and sized before anyone looks."""

import contextlib
import fcntl
import os
import struct
import termios

_TIOCGPTN = 0x80045430
_TIOCSPTLCK = 0x40045431


def set_size(fd: int, cols: int, rows: int) -> None:
    """Give the terminal behind `fd` a size in cells."""
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def open_master(ptmx: str, cols: int, rows: int) -> tuple[int, int]:
    """Open a new PTY of the devpts instance that `ptmx` belongs to.

    Returns:
        The non-blocking master, and the number N of its `/dev/pts/N`.
    """
    fd = os.open(ptmx, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        fcntl.ioctl(fd, _TIOCSPTLCK, struct.pack("i", 0))
        number = struct.unpack("i", fcntl.ioctl(fd, _TIOCGPTN, b"\0" * 4))[0]
        set_size(fd, cols, rows)
    except OSError:
        os.close(fd)
        raise
    return fd, number


def close_quietly(fd: int) -> None:
    """Close `fd`; −1 and closed ones are fine."""
    if fd >= 0:
        with contextlib.suppress(OSError):
            os.close(fd)
