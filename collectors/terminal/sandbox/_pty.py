"""Pseudo-terminals, opened by us and sized before anyone looks."""

import contextlib
import errno
import fcntl
import os
import stat
import struct
import termios

_TIOCGPTN = 0x80045430
_TIOCSPTLCK = 0x40045431
_PTMX = os.makedev(5, 2)


def set_size(fd: int, cols: int, rows: int) -> None:
    """Give the terminal behind `fd` a size in cells."""
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def open_master(root: str, cols: int, rows: int) -> tuple[int, int]:
    """Open a new PTY of the devpts instance that stands at `/dev/pts` below `root`.

    Returns:
        The non-blocking master, and the number N of its `/dev/pts/N`.

    Raises:
        OSError: something else stands there; it is not opened.
    """
    place = _ptmx(root)
    try:
        fd = os.open(f"/proc/self/fd/{place}", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC | os.O_NONBLOCK)
    finally:
        os.close(place)
    try:
        fcntl.ioctl(fd, _TIOCSPTLCK, struct.pack("i", 0))
        number = struct.unpack("i", fcntl.ioctl(fd, _TIOCGPTN, b"\0" * 4))[0]
        set_size(fd, cols, rows)
    except OSError:
        os.close(fd)
        raise
    return fd, number


def _ptmx(root: str) -> int:
    """Return where it stands, not yet opened. An image may put a link there, which would lead out of the container."""
    place = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in ("dev", "pts", "ptmx"):
            inner = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
            os.close(place)
            place = inner
        found = os.fstat(place)
    except OSError:
        os.close(place)
        raise
    if not stat.S_ISCHR(found.st_mode) or found.st_rdev != _PTMX:
        os.close(place)
        raise OSError(errno.ENXIO, "no multiplexer of terminals", f"{root}/dev/pts/ptmx")
    return place


def close_quietly(fd: int) -> None:
    """Close `fd`; −1 and closed ones are fine."""
    if fd >= 0:
        with contextlib.suppress(OSError):
            os.close(fd)
