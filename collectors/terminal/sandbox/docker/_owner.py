"""Who made a container: a process of this boot of this machine, named so that its death can be seen."""

import os
from contextlib import suppress
from pathlib import Path

from worldtape.collectors.terminal.sandbox._started import started

LABEL = "worldtape.owner"


def _boot() -> str:
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return "unknown"


def _pid_namespace() -> str:
    with suppress(OSError):
        return str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
    return "0"


def own() -> str:
    """Return the label of this process: boot, pid namespace, pid and start time."""
    return f"{_boot()}:{_pid_namespace()}:{os.getpid()}:{started(os.getpid())}"


def gone(owner: str) -> bool | None:
    """Whether the process behind a label is gone; null where this machine cannot know."""
    parts = owner.split(":")
    if len(parts) != 4 or parts[:2] != [_boot(), _pid_namespace()]:  # noqa: PLR2004
        return None
    return str(started(int(parts[2]))) != parts[3]
