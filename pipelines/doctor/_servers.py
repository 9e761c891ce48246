"""MCP servers of other people, beside those that Worldtape brings."""

import os
import shutil
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from worldtape.collectors.cache import cache_folder
from worldtape.pipelines.doctor._component import Component

_NPM = ("everything", "filesystem", "memory")
_PYPI = ("mcp-server-git", "mcp-server-time", "mcp-server-fetch")
_USE = "MCP recordings of servers that are not our own"


def npm_folder() -> Path:
    """Return the folder where servers from npm are looked for, beside the PATH."""
    return cache_folder("npm")


def servers() -> Iterator[Component]:
    """Yield the servers from npm and those from PyPI."""
    folder = npm_folder()
    places = f"{os.environ.get('PATH', '')}{os.pathsep}{folder / 'node_modules' / '.bin'}"
    found = [name for name in _NPM if shutil.which(f"mcp-server-{name}", path=places)]
    packages = " ".join(f"@modelcontextprotocol/server-{name}" for name in _NPM)
    yield _row("MCP servers (npm)", found, _NPM, f"npm install --prefix {folder} {packages}")
    there = [f"{name} {version}" for name in _PYPI if (version := _version(name)) is not None]
    yield _row("MCP servers (PyPI)", there, _PYPI, f"pip install {' '.join(_PYPI)}")


def _row(name: str, found: list[str], wanted: tuple[str, ...], fix: str) -> Component:
    if not found:
        return Component(name, "missing", _USE, fix=fix)
    whole = len(found) == len(wanted)
    return Component(name, "ok" if whole else "limited", _USE, None, ", ".join(found), None if whole else fix)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
