"""Where collectors keep what they fetch or build once: below `~/.cache/worldtape`, or `XDG_CACHE_HOME`."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Return the folder called `name`; it is not made."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "worldtape", name)


__all__ = ["cache_folder"]
