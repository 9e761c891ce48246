"""Programs that collectors drive."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from worldtape.pipelines.doctor._component import Component, by_system

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_CACHES = ("~/.cache/ms-playwright", "~/Library/Caches/ms-playwright")
_GB = 1 << 30
_LOW_GB = 2


def programs() -> Iterator[Component]:
    """Yield git, Chromium, Node.js and npm."""
    yield program("git", "git", "tasks about git", by_system("apt-get install git", "xcode-select --install"))
    yield _chromium()
    use = "MCP servers, Appium"
    yield program("Node.js", "node", use, by_system("apt-get install nodejs npm", "brew install node"))
    yield program("npm", "npm", use, by_system("apt-get install npm", "brew install node"))


def said(*command: str, whole: bool = False) -> str | None:
    """Return the version in what a command says (or the `whole` of it), or null where it does not run."""
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
        found = None if whole else re.search(r"\d+(\.\d+)+", done.stdout)
        return found[0] if found else (done.stdout.strip() or None)
    return None


def program(name: str, command: str, use: str, fix: str) -> Component:
    """Return a program that tells its version."""
    version = said(command, "--version") if shutil.which(command) else None
    return Component(name, "missing", use, fix=fix) if version is None else Component(name, "ok", use, version)


def _chromium() -> Component:
    use = "web pages"
    path = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if path is not None:
        return Component("Chromium", "ok", use, said(path, "--version"), path)
    for cache in _CACHES:
        builds = sorted(Path(cache).expanduser().glob("chromium-*"))
        if builds:
            return Component("Chromium", "ok", use, builds[-1].name, "Playwright's own")
    return Component(
        "Chromium",
        "missing",
        use,
        fix=by_system("apt-get install chromium, or playwright install chromium", "playwright install chromium"),
    )


def disk() -> Iterator[Component]:
    """Yield the room that is left here."""
    free = shutil.disk_usage(Path.cwd()).free
    detail = f"{free / _GB:.1f} GB free in {Path.cwd()}"
    low = free < _LOW_GB * _GB
    fix = "free some space, or write the lake elsewhere" if low else None
    yield Component("disk", "limited" if low else "ok", "recordings", None, detail, fix)
