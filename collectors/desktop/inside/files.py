"""What lies in the home directory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

_HASHED = 16 << 20
_TEXT = 1 << 20
_MOST = 5000


class Files:
    """The files below one folder, and what has changed since the last look; hidden ones are passed over."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._known: dict[str, tuple[int, int, str]] = {}

    def look(self) -> dict[str, Any]:
        """Return `count`, `digest`, and what was `added`, `removed` and `modified` since the last look."""
        now: dict[str, tuple[int, int, str]] = {}
        for name, found in self._each():
            before = self._known.get(name)
            if before is not None and before[:2] == (found.st_size, found.st_mtime_ns):
                now[name] = before
            else:
                now[name] = (found.st_size, found.st_mtime_ns, self._hash(name, found.st_size))
        old, self._known = self._known, now
        whole = hashlib.sha256(repr([(name, kept[2]) for name, kept in sorted(now.items())]).encode())
        return {
            "count": len(now),
            "digest": f"sha256:{whole.hexdigest()}",
            "added": sorted(now.keys() - old.keys()),
            "removed": sorted(old.keys() - now.keys()),
            "modified": sorted(name for name in now.keys() & old.keys() if now[name][2] != old[name][2]),
        }

    def facts(self) -> dict[str, Any]:
        """Return the text of each file by its path; null of a folder (`name/`) and of what is no text."""
        found: dict[str, Any] = {}
        for name, stat in self._each():
            found[name] = None
            if not name.endswith("/") and stat.st_size <= _TEXT:
                with suppress(OSError, UnicodeDecodeError):
                    found[name] = Path(self._folder, name).read_bytes().decode()
        return found

    def _each(self) -> Iterator[tuple[str, os.stat_result]]:
        """Give path and state of each file, and of each folder with a slash behind it."""
        left = _MOST
        for at, folders, names in os.walk(self._folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in [*(f"{folder}/" for folder in folders), *sorted(names)]:
                if name.startswith(".") or not left:
                    continue
                left -= 1
                path = Path(at, name)
                with suppress(OSError):
                    yield f"{path.relative_to(self._folder)}{'/' * name.endswith('/')}", path.lstat()

    def _hash(self, name: str, size: int) -> str:
        path = Path(self._folder, name)
        if name.endswith("/") or size > _HASHED or not path.is_file():
            return f"size:{0 if name.endswith('/') else size}"
        with suppress(OSError):
            return hashlib.sha256(path.read_bytes()).hexdigest()
        return "unreadable"
