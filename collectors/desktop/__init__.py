"""Desktops: real programs on an X server, their accessibility trees recorded at every step."""

from typing import TYPE_CHECKING, Any

from worldtape.collectors.desktop.tree import read_tree
from worldtape.collectors.desktop.widgets import Widget, widgets

if TYPE_CHECKING:
    from worldtape.collectors.desktop.config import DesktopConfig
    from worldtape.collectors.desktop.environment import Desktop

_LAZY = {"Desktop": "environment", "DesktopConfig": "config"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


__all__ = ["Desktop", "DesktopConfig", "Widget", "read_tree", "widgets"]
