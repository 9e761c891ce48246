"""What system this is, and the versions of what a desktop is made of."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_OWN = ("xvfb", "openbox", "at-spi2-core", "xdotool", "libgtk-3-0")


def system() -> dict[str, str]:
    """Return `os`, `kernel` and `window_manager`."""
    name = "Linux"
    with suppress(OSError):
        lines = (line.partition("=") for line in Path("/etc/os-release").read_text().splitlines())
        name = next((value.strip('"') for key, _, value in lines if key == "PRETTY_NAME"), name)
    return {"os": name, "kernel": platform.release(), "window_manager": "openbox"}


def versions(programs: Sequence[str]) -> dict[str, str]:
    """Return package to version, of our own parts and of the programs, as far as Debian's packages tell."""
    found = {"python": platform.python_version()}
    if shutil.which("dpkg-query") is None:
        return found
    words = ["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *_OWN, *programs]
    told = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return found | dict(line.split(" ", 1) for line in told.splitlines() if " " in line)
