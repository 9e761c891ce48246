"""What the memory limit has ended, by the word of the kernel."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_FILES = ("memory.oom_control", "memory.events")


def memory_group(pid: int) -> Path | None:
    """Return the control group that holds the memory limit of `pid`; null where it cannot be seen."""
    with suppress(OSError):
        groups = [line.split(":", 2) for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines()]
        for words in map(str.split, Path("/proc/self/mountinfo").read_text().splitlines()):
            kind, options = words[words.index("-") + 1], words[-1].split(",")
            for _, controllers, path in groups:
                mine = (
                    "memory" in controllers.split(",") and "memory" in options if kind == "cgroup" else not controllers
                )
                group = Path(words[4], os.path.relpath(path, words[3]))
                if kind in {"cgroup", "cgroup2"} and mine and _counts(group) is not None:
                    return group
    return None


class OomKills:
    """Counts the processes of a group that have been ended for want of memory; its file stays open."""

    def __init__(self, groups: Iterable[Path]) -> None:
        self._fd = -1
        for path in (group / name for group in groups for name in _FILES):
            with suppress(OSError):
                self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                if self._count() is not None:
                    return
                self.close()

    def count(self) -> int:
        """Return how many there were so far; 0 where that cannot be seen any more."""
        with suppress(OSError):
            return self._count() or 0
        return 0

    def _count(self) -> int | None:
        words = os.pread(self._fd, 4096, 0).split() if self._fd >= 0 else []
        return int(words[words.index(b"oom_kill") + 1]) if b"oom_kill" in words else None

    def close(self) -> None:
        """Let go of the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _counts(group: Path) -> int | None:
    for name in _FILES:
        with suppress(OSError):
            words = (group / name).read_text().split()
            if "oom_kill" in words:
                return int(words[words.index("oom_kill") + 1])
    return None
