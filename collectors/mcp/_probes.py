"""The state of a server, seen from outside: what it offers, and what lies in its folder."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from worldtape.schemas import Tool, canonical_json

_MOST_FILES, _MOST_BYTES = 2000, 32 << 20


def tools_hash(tools: tuple[Tool, ...]) -> str:
    """Return a hash of what is offered: names, descriptions and schemas."""
    return hashlib.sha256(canonical_json([tool.to_dict() for tool in tools]).encode()).hexdigest()[:16]


def folder_state(folder: str) -> dict[str, Any] | None:
    """Return the number of files and a hash over their paths and contents; None where there is too much to read."""
    digest, files, left = hashlib.sha256(), 0, _MOST_BYTES
    root = Path(folder)
    try:
        for place, folders, names in os.walk(root):
            folders.sort()
            digest.update(os.path.relpath(place, root).encode("utf-8", "surrogateescape") + b"/\0")
            for name in sorted(names):
                path = Path(place, name)
                files += 1
                left -= path.lstat().st_size
                if files > _MOST_FILES or left < 0:
                    return None
                data = (
                    str(path.readlink()).encode("utf-8", "surrogateescape") if path.is_symlink() else path.read_bytes()
                )
                digest.update(name.encode("utf-8", "surrogateescape") + b"\0" + hashlib.sha256(data).digest())
    except OSError:
        return None
    return {"files": files, "hash": digest.hexdigest()[:16]}


__all__ = ["folder_state", "tools_hash"]
