"""Terminals: real shells in sandboxes, recorded byte by byte."""

from typing import TYPE_CHECKING, Any

from worldtape.collectors.terminal.actions import keystrokes, resize

if TYPE_CHECKING:
    from worldtape.collectors.terminal.config import TerminalConfig
    from worldtape.collectors.terminal.environment import Terminal

_LAZY = {"Terminal": "environment", "TerminalConfig": "config"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


__all__ = ["Terminal", "TerminalConfig", "keystrokes", "resize"]
