"""What each domain needs of a machine."""

from __future__ import annotations

from functools import cache

from tests._components import require
from worldtape.pipelines.doctor import Component, examine

NEEDS = {
    "android": ("Node.js", "Appium", "Appium drivers", "Chromium", "chromedriver"),
    "os": ("Docker daemon", "image of desktops"),
    "swe": ("Docker daemon", "image of repositories", "sources of packages"),
    "terminal": ("namespaces (bubblewrap)",),
    "web": ("Chromium",),
}
"""Domain to what the doctor must have found; the others need nothing but Python."""


def lacking(domain: str) -> list[Component]:
    """Return what this machine lacks for a domain."""
    return [one for one in _components() if one.name in NEEDS.get(domain, ()) and one.state == "missing"]


def need(domain: str) -> None:
    """Skip, or fail in CI, where a domain cannot be recorded."""
    for one in lacking(domain):
        require(one.name, ok=False, how=one.fix or "")


@cache
def _components() -> tuple[Component, ...]:
    return examine().components
