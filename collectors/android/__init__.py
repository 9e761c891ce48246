"""Android through Appium: an emulator, a device, a phone-sized page, or the fake driver."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldtape.collectors.android.actions import ui_action
    from worldtape.collectors.android.config import AndroidConfig
    from worldtape.collectors.android.environment import Android
    from worldtape.collectors.android.screen import Screen
    from worldtape.collectors.android.server import close_servers

_LAZY = {
    "Android": "environment",
    "AndroidConfig": "config",
    "Screen": "screen",
    "close_servers": "server",
    "ui_action": "actions",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


__all__ = ["Android", "AndroidConfig", "Screen", "close_servers", "ui_action"]
