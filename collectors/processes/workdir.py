"""A folder for one run of a server: held by a lock, so that one whose recorder was killed can be told and removed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_PREFIX = "worldtape-run-"


class Workdir:
    """Makes an empty folder below the temporary directory; it is held until it is removed."""

    def __init__(self) -> None:
        while True:
            self.path = tempfile.mkdtemp(prefix=_PREFIX)
            self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            if Path(self.path).is_dir():  # else somebody took it for a leftover before it was held
                return
            os.close(self._lock)

    def remove(self) -> None:
        """Remove the folder with what is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def reap() -> list[str]:
    """Remove folders of ours that nobody holds any more; return their paths."""
    found = []
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(fd).st_uid != os.getuid():
                    continue
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
                found.append(str(path))
            finally:
                os.close(fd)
    return found


__all__ = ["Workdir", "reap"]
