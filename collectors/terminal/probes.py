"""What the state is after a step, seen from outside: nothing is run, and the policy cannot notice."""

from __future__ import annotations

import math
import os
from typing import Any

from worldtape.collectors.terminal import _proc
from worldtape.collectors.terminal._session import Session
from worldtape.collectors.terminal.settle import SHELLS


def probe(session: Session, users: dict[int, str]) -> dict[str, Any]:
    """Return cwd, user, foreground command, cursor, size and screen; null where a look failed.

    Args:
        session: the terminal.
        users: user id (inside) to name.
    """
    column, row = session.screen.cursor
    cols, rows = session.screen.size
    cwd = user = command = None
    if session.watch is not None:
        shell = session.watch.shell
        pid = session.last.pid
        owner = pid if pid is not None and session.last.command in SHELLS else shell
        cwd, user = _cwd(owner), _user(owner, users)
        command = None if pid is None else _command(pid)
    elif session.inside is not None:
        cwd, command = session.inside.cwd, session.last.command
        user = None if session.inside.uid is None else users.get(session.inside.uid, str(session.inside.uid))
    return {
        "alternate_screen": session.screen.alternate,
        "cols": cols,
        "cursor": [column, row],
        "cwd": cwd,
        "foreground": command,
        "rows": rows,
        "user": user,
    }


def disk(session: Session) -> str | None:
    """Return size and free space of the file system that the shell stands in; None where that cannot be seen."""
    try:
        found = None if session.watch is None else os.statvfs(f"/proc/{session.watch.shell}/cwd")
    except OSError:
        found = None
    if found is None:
        return None
    return f"{_size(found.f_blocks * found.f_frsize)} total, {_size(found.f_bavail * found.f_frsize)} free"


def _size(count: float) -> str:
    """Return bytes as `df -h` tells them."""
    units = iter("BKMGTPE")
    unit = next(units)
    while count >= 1024:  # noqa: PLR2004
        count, unit = count / 1024, next(units)
    tenths = count < 10 and count % 1 > 0  # noqa: PLR2004
    return f"{math.ceil(count * 10) / 10:.1f}{unit}" if tenths else f"{math.ceil(count)}{unit}"


def _cwd(pid: int) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115
    except OSError:
        return None


def _command(pid: int) -> str | None:
    data = _proc.read(f"/proc/{pid}/cmdline")
    if not data:
        return None
    return data.rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")[:400]


def _user(pid: int, users: dict[int, str]) -> str | None:
    uid = _uid(pid)
    if uid is None:
        return None
    return users.get(uid, str(uid))


def _uid(pid: int) -> int | None:
    """Return the effective user id of `pid`, as it is inside its user namespace."""
    mapping = _proc.read(f"/proc/{pid}/uid_map")
    outside = _outside(pid)
    if outside is None or mapping is None:
        return None
    for row in mapping.splitlines():
        inside, start, count = map(int, row.split())
        if start <= outside < start + count:
            return inside + outside - start
    return None


def _outside(pid: int) -> int | None:
    """Return the effective user id of `pid` as this machine knows it; files of guarded processes belong to root."""
    try:
        owner = os.stat(f"/proc/{pid}").st_uid  # noqa: PTH116
    except OSError:
        return None
    if owner:
        return owner
    status = _proc.read(f"/proc/{pid}/status") or b""
    begin = status.find(b"\nUid:")
    return int(status[begin + 5 : begin + 80].split()[1]) if begin >= 0 else None


__all__ = ["disk", "probe"]
