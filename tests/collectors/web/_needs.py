"""Whether this machine has a Chromium; a test that needs one says so here."""

from __future__ import annotations

from tests._components import require
from worldtape.collectors.web.engine import find_chromium


def needs_chromium() -> None:
    """Skip, or fail in CI, where there is none."""
    require("Chromium", find_chromium() is not None, "apt-get install chromium")
