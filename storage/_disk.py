"""Small facts about disks: what survives a crash, who holds a file."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from worldtape.errors import InputError

TEMPORARY = ".part-tmp"
"""Ending of files that are being written; locked by their writer, never read, removed by recovery."""

flush = getattr(os, "fdatasync", os.fsync)
"""Make the bytes of a file descriptor survive a crash of the machine."""


def fsync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a crash of the machine."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(folder: Path, *, durable: bool) -> None:
    """Create `folder` and its parents; where `durable`, each new name survives a crash of the machine."""
    if folder.is_dir():
        return
    make_folder(folder.parent, durable=durable)
    folder.mkdir(exist_ok=True)
    if durable:
        fsync_folder(folder.parent)


def write_all(fd: int, data: bytes | memoryview) -> None:
    """Write every byte of `data`, in one write(2) where the system takes it whole."""
    done = os.write(fd, data)
    while done < len(data):
        done += os.write(fd, memoryview(data)[done:])


def hold(fd: int) -> bool:
    """Take the lock of an open file until it is closed; False where somebody else holds it."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_held(path: Path) -> bool:
    """Tell whether somebody holds the lock of a file; it is taken for a moment, shared, so that two may look at once.

    Raises:
        FileNotFoundError: there is no such file.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def is_at(fd: int, path: Path) -> bool:
    """Return whether `path` still names the open file: another process may have removed or replaced it."""
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False


def local_folder(where: str | Path) -> Path:
    """Return the folder that a path or `file://` address names.

    Raises:
        InputError: the address is not on this machine's file systems.
    """
    if isinstance(where, Path):
        return where
    text = where.removeprefix("file://")
    if "://" in text:
        raise InputError("tapes are written to a local folder", where=where, fix="record into a folder, then merge it")
    return Path(text)
