"""The root that a local sandbox sees, as options of bubblewrap."""

import os
from pathlib import Path

from worldtape.collectors.terminal.sandbox.local import _etc
from worldtape.schemas import Limits

SMALL_MB = 64
"""`/dev/shm` and `/var/tmp` are never larger than this, as in a container."""
_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_EMPTY = ("boot", "media", "mnt", "opt", "run", "srv", "sys", "var", "var/cache", "var/lib", "var/log", "var/mail")
_MB = 1 << 20


def tmpfs_mb(limits: Limits) -> dict[str, int]:
    """Return every writable place with its size in MiB."""
    small = min(SMALL_MB, limits.disk_mb)
    return {_etc.HOME: limits.disk_mb, "/tmp": limits.disk_mb, "/var/tmp": small, "/dev/shm": small}  # noqa: S108


def options(limits: Limits, hostname: str, texts: dict[str, int], env: dict[str, str], cwd: str) -> list[str]:
    """Return bubblewrap's options for the mounts, the names and the environment.

    `texts` maps a path to a descriptor that holds the file's text.
    """
    words = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--as-pid-1"]
    words += ["--hostname", hostname, "--size", str(_MB), "--tmpfs", "/", "--ro-bind", "/usr", "/usr"]
    for name in _MERGED:
        words += _merged(name)
    words += ["--proc", "/proc", "--dev", "/dev"]
    for name in _EMPTY:
        words += ["--perms", "0755", "--dir", f"/{name}"]
    words += [
        "--perms",
        "0700",
        "--dir",
        "/root",
        "--perms",
        "0755",
        "--dir",
        "/home",
        "--perms",
        "0755",
        "--dir",
        "/etc",
    ]
    words += ["--symlink", "/run", "/var/run"]
    for path, size in tmpfs_mb(limits).items():
        mode = "0755" if path == _etc.HOME else "1777"
        words += ["--size", str(size * _MB), "--perms", mode, "--tmpfs", path]
    words += _settings(texts)
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--clearenv"]
    for name, value in env.items():
        words += ["--setenv", name, value]
    return [*words, "--chdir", cwd]


def _merged(name: str) -> list[str]:
    path = Path("/", name)
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.is_dir() else []


def _settings(texts: dict[str, int]) -> list[str]:
    words: list[str] = []
    for name in _etc.BOUND:
        if Path("/etc", name).exists():
            words += ["--ro-bind", f"/etc/{name}", f"/etc/{name}"]
    for path, fd in texts.items():
        words += ["--perms", "0644", "--file", str(fd), path]
    if Path("/usr/lib/os-release").is_file():
        words += ["--symlink", "../usr/lib/os-release", "/etc/os-release"]
    elif Path("/etc/os-release").is_file():
        words += ["--ro-bind", os.path.realpath("/etc/os-release"), "/etc/os-release"]
    words += ["--symlink", "/usr/share/zoneinfo/Etc/UTC", "/etc/localtime", "--symlink", "/proc/mounts", "/etc/mtab"]
    return words
