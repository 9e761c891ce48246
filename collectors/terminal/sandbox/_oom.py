"""What the memory limit has ended, by the word of the kernel."""

import os
from contextlib import suppress
from pathlib import Path


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


def oom_kills(group: Path) -> int:
    """Return how many processes of a group have been ended for want of memory so far."""
    return _counts(group) or 0


def _counts(group: Path) -> int | None:
    for name in ("memory.oom_control", "memory.events"):
        with suppress(OSError):
            words = (group / name).read_text().split()
            if "oom_kill" in words:
                return int(words[words.index("oom_kill") + 1])
    return None
