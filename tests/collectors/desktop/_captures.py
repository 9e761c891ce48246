"""Trees of mousepad, pcmanfm and galculator (Debian 12), taken by AT-SPI; most hidden nodes were left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldtape.collectors.desktop.tree import read_tree

_FOLDER = Path(__file__).parent / "captures"


def line(name: str) -> bytes:
    """Return one capture as it stands on the channel `tree`."""
    return (_FOLDER / f"{name}.json").read_bytes()


def tree(name: str) -> dict[str, Any]:
    """Return one capture, read."""
    return read_tree(line(name))


NAMES = ("calculator", "context_menu", "folder", "menu", "save_as", "unsaved")
