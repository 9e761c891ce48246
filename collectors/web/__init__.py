"""Web pages: real browsers, their accessibility trees recorded at every step."""

from typing import TYPE_CHECKING, Any

from worldtape.collectors.web.calls import browser_call
from worldtape.collectors.web.tree import Element, elements, read_tree

if TYPE_CHECKING:
    from worldtape.collectors.web.config import WebConfig
    from worldtape.collectors.web.engine import close_browsers
    from worldtape.collectors.web.environment import Web

_LAZY = {"Web": "environment", "WebConfig": "config", "close_browsers": "engine"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


__all__ = ["Element", "Web", "WebConfig", "browser_call", "close_browsers", "elements", "read_tree"]
