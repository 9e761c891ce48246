"""Record real environments, and import what others recorded."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldtape.collectors.recorder import Recorder, make_header
    from worldtape.collectors.renderers import RENDERERS, make_renderer

_LAZY = {
    "RENDERERS": "renderers",
    "Recorder": "recorder",
    "make_header": "recorder",
    "make_renderer": "renderers",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


__all__ = ["RENDERERS", "Recorder", "make_header", "make_renderer"]
