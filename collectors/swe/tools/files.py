"""Reading and writing one file."""

from __future__ import annotations

import posixpath
from typing import Any

from worldtape.collectors.swe.box import Entry
from worldtape.collectors.swe.render.fold import FILE, LINE_CHARS
from worldtape.collectors.swe.render.text import Text, decode, encode
from worldtape.collectors.swe.tools.session import DONE, Session, Told, fault, system_fault

WHOLE_BYTES = 256 * 1024
"""A guarded family shows no larger file at once."""
MOST_BYTES = 20 * 1024 * 1024
"""No larger file is read at all."""


async def read_file(session: Session, path: str, offset: int, limit: int | None) -> Told:
    """Show lines of a text file.

    Args:
        session: its `keep` gets the bytes.
        path: absolute.
        offset: first line, from 0.
        limit: how many; None: as many as are shown at once.
    """
    try:
        found = await session.box.stat(path)
        if found.kind != "file":
            return _no_file(found, path, "read")
        data = await session.box.read(path, limit=MOST_BYTES + 1)
    except OSError as error:
        return system_fault(error, path, "open")
    most = WHOLE_BYTES if session.guarded and limit is None else MOST_BYTES
    size = max(found.size, len(data))
    if size > most:
        return fault("too_large", path=path, **_sizes(size, most))
    text = decode(data)
    if text is None:
        return fault("binary_file", path=path, relative=session.relative(path), suffix=posixpath.splitext(path)[1])
    shown = _shown_chars(text.text, offset, limit)
    if session.guarded and shown > WHOLE_BYTES:
        return fault("too_large", path=path, **_sizes(shown, WHOLE_BYTES))
    session.keep(FILE, data)
    session.knows(path, data)
    return {"op": "read", "path": path, "offset": offset, "limit": limit, "bytes": len(data)}, DONE


async def write_file(session: Session, path: str, content: str) -> Told:
    """Write a whole file; one that is there keeps its encoding and its byte order mark."""
    held = await open_text(session, path, binary=True)
    if isinstance(held, tuple):
        return held
    data = encode(content) if held is None or not held.bom else held.encode(content)
    return await save(session, path, data) or ({"op": "write", "path": path, "created": held is None}, DONE)


async def open_text(session: Session, path: str, *, binary: bool = False) -> Text | Told | None:
    """Return what a file says that is to be changed, None where there is none, or why it may not be changed.

    Args:
        session: knows what was read.
        path: absolute.
        binary: whether a file that is no text may be changed too; it counts as empty.
    """
    try:
        found = await session.entry(path)
        if found is None:
            return None
        if found.kind != "file":
            return _no_file(found, path, "open")
        data = await session.box.read(path, limit=MOST_BYTES + 1)
    except OSError as error:
        return system_fault(error, path, "open")
    stale = session.stale(path, data)
    if stale is not None:
        return fault(stale, path=path)
    text = decode(data)
    if text is None and not binary:
        return fault("binary_file", path=path, relative=session.relative(path), suffix=posixpath.splitext(path)[1])
    return text or Text("")


async def save(session: Session, path: str, data: bytes) -> Told | None:
    """Write bytes; return the fault where the system refuses."""
    try:
        await session.box.write(path, data)
    except OSError as error:
        return system_fault(error, path, "write")
    session.knows(path, data)
    return None


def _no_file(found: Entry, path: str, verb: str) -> Told:
    """Return the fault of a directory or, since a pipe or a device may never end, of anything else that is no file."""
    if found.kind == "dir":
        return fault("is_directory", path=path, verb=verb)
    return fault("special_file", path=path, message=f"EINVAL: not a regular file, {verb} '{path}'")


def _shown_chars(text: str, offset: int, limit: int | None) -> int:
    lines = text.split("\n")[offset : None if limit is None else offset + limit]
    return sum(min(len(line), LINE_CHARS) + 1 for line in lines)


def _sizes(size: int, limit: int) -> dict[str, Any]:
    return {
        "shown": _size(size),
        "limit": _size(limit),
        "mb": f"{size / 1024**2:.2f}",
        "limit_mb": limit // 1024**2,
    }


def _size(count: int) -> str:
    return f"{count / 1024:.1f}KB".replace(".0KB", "KB") if count < 1024**2 else f"{count / 1024**2:.1f}MB"


__all__ = ["open_text", "read_file", "save", "write_file"]
