"""The folder of a server, seen from outside."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

_MOST_FILES, _MOST_BYTES = 2000, 32 << 20


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


__all__ = ["folder_state"]
