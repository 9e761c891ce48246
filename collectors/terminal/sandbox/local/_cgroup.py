"""Control groups, version 1 and 2: limits that hold for all processes of a sandbox together, whoever they are."""

import itertools
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from worldtape.collectors.terminal.sandbox._started import started

_PREFIX = "worldtape-"
_COUNTER = itertools.count()
_MOUNTINFO = Path("/proc/self/mountinfo")
_PERIOD = 100_000
_WAITS_S = (0.0, 0.001, 0.005, 0.02, 0.1, 0.5, 1.0, 3.0)
"""Between tries to remove a group: the last of its processes may be ending for a while on a busy machine."""


@dataclass(frozen=True, slots=True)
class Cgroup:
    """The groups of one sandbox: one folder per controller (version 1), or one for all (version 2)."""

    version: int
    paths: tuple[Path, ...]

    def remove(self) -> None:
        """End what still runs in it and remove it."""
        for path in self.paths:
            _remove(path)


def make_cgroup(memory_mb: int, pids: int, cpus: float) -> Cgroup | None:
    """Make a group below or beside our own, or return null where this process may not."""
    name = f"{_PREFIX}{os.getpid()}-{started(os.getpid())}-{next(_COUNTER)}"
    made: list[Path] = []
    version, parents = _parents()
    try:
        for controller, parent in parents.items():
            path = parent / name
            if path not in made:
                path.mkdir()
                made.append(path)
            for file, value in _settings(version, controller, memory_mb << 20, pids, cpus):
                if (path / file).exists():
                    (path / file).write_text(value)
    except OSError:
        for path in made:
            _remove(path)
        return None
    return Cgroup(version, tuple(made)) if {"memory", "pids"} <= parents.keys() else None


def _settings(version: int, controller: str, memory: int, pids: int, cpus: float) -> list[tuple[str, str]]:
    quota = str(int(cpus * _PERIOD))
    if controller == "pids":
        return [("pids.max", str(pids))]
    if controller == "cpu":
        period = str(_PERIOD)
        return [("cpu.max", f"{quota} {period}")] if version == 2 else _v1_cpu(quota, period)  # noqa: PLR2004
    if version == 2:  # noqa: PLR2004
        return [("memory.max", str(memory)), ("memory.swap.max", "0")]
    return [("memory.limit_in_bytes", str(memory)), ("memory.memsw.limit_in_bytes", str(memory))]


def _v1_cpu(quota: str, period: str) -> list[tuple[str, str]]:
    return [("cpu.cfs_period_us", period), ("cpu.cfs_quota_us", quota)]


def _parents() -> tuple[int, dict[str, Path]]:
    """Return the version, and per controller the folder in which ours may be made."""
    if not _MOUNTINFO.exists():
        return 1, {}
    mounts = [line.split() for line in _MOUNTINFO.read_text().splitlines()]
    own = {key: path for _, key, path in map(_fields, Path("/proc/self/cgroup").read_text().splitlines())}
    first: dict[str, Path] = {}
    for words in mounts:
        kind, options = words[words.index("-") + 1], words[-1].split(",")
        if kind == "cgroup":
            for key, path in own.items():
                wanted = {"memory", "pids", "cpu"} & set(key.split(",")) & set(options)
                first |= dict.fromkeys(wanted, _below(words[4], words[3], path))
        elif kind == "cgroup2" and "memory" in _controllers(Path(words[4])):
            return 2, _second(_below(words[4], words[3], own.get("", "/")), Path(words[4]))
    return 1, first


def _fields(line: str) -> list[str]:
    return line.split(":", 2)


def _below(mount: str, root: str, path: str) -> Path:
    inner = os.path.relpath(path, root) if path.startswith(root) else "."
    return Path(mount) / inner


def _controllers(path: Path) -> set[str]:
    with suppress(OSError):
        return set((path / "cgroup.controllers").read_text().split())
    return set()


def _second(own: Path, root: Path) -> dict[str, Path]:
    """Version 2: a group with processes has no limited children, so ours stands beside our own, or below the root."""
    parent = root if own == root else own.parent
    control = parent / "cgroup.subtree_control"
    for name in ("memory", "pids", "cpu"):
        with suppress(OSError):
            control.write_text(f"+{name}")
    with suppress(OSError):
        return dict.fromkeys({"memory", "pids", "cpu"} & set(control.read_text().split()), parent)
    return {}


def leftovers() -> list[Path]:
    """Return the groups of sandboxes whose recorder is gone."""
    found = []
    for path in sorted(path for mount in _mounts() for path in mount.rglob(f"{_PREFIX}*-*-*")):
        pid, _, start = path.name.removeprefix(_PREFIX).rpartition("-")[0].partition("-")
        if pid.isdigit() and str(started(int(pid))) != start:
            found.append(path)
    return found


def _mounts() -> list[Path]:
    """Return where the controllers that we use are mounted."""
    if not _MOUNTINFO.exists():
        return []
    rows = [line.split() for line in _MOUNTINFO.read_text().splitlines()]
    kinds = [(words[4], words[words.index("-") + 1], set(words[-1].split(","))) for words in rows]
    used = {"memory", "pids", "cpu"}
    return [Path(mount) for mount, kind, names in kinds if kind == "cgroup2" or (kind == "cgroup" and names & used)]


def reap() -> list[str]:
    """Remove the groups of sandboxes whose recorder is gone, with what runs in them; return their paths."""
    found = leftovers()
    for path in found:
        _remove(path)
    return [str(path) for path in found if not path.exists()]


def _remove(path: Path) -> None:
    for wait in _WAITS_S:
        time.sleep(wait)
        try:
            path.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            _kill_all(path)
        else:
            return


def _kill_all(path: Path) -> None:
    with suppress(OSError):
        for pid in (path / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
