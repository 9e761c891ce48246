"""Desktops: real programs on an X server, their accessibility trees recorded at every step."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldtape.collectors.desktop.config import DesktopConfig
    from worldtape.collectors.desktop.environment import Desktop
    from worldtape.collectors.desktop.tree import read_tree
    from worldtape.collectors.desktop.widgets import Widget, widgets

_LAZY = {
    "Desktop": "environment",
    "DesktopConfig": "config",
    "Widget": "widgets",
    "read_tree": "tree",
    "widgets": "widgets",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


__all__ = ["Desktop", "DesktopConfig", "Widget", "read_tree", "widgets"]
