"""What the explorer types."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from worldtape.collectors.desktop.widgets import Widget
from worldtape.collectors.policies.explore_desktop.scene import Scene


@cache
def tables() -> dict[str, Any]:
    """Return the words of `values.yaml`."""
    import yaml

    text = (files("worldtape.collectors.policies.explore_desktop") / "values.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def text_for(widget: Widget, scene: Scene, rng: Random) -> str:
    """Return what could be typed into a field."""
    table = tables()
    if "multi-line" in widget.states:
        return str(rng.choice(table["paragraphs"] if not widget.text or rng.random() < 0.4 else table["lines"]))  # noqa: PLR2004
    kind = _kind(widget, scene)
    return str(rng.choice(table[kind]))


def _kind(widget: Widget, scene: Scene) -> str:
    window, text = scene.window.lower(), widget.text or ""
    if scene.dialog == "file chooser":
        return "files"
    if widget.role == "spin button" or "go to" in window:
        return "numbers"
    if text.startswith("/") or "location" in window:
        return "paths"
    for word, kind in _WINDOWS:
        if word in window or word in widget.name.lower():
            return kind
    return "sums" if is_calculator(scene) else "words"


_WINDOWS = (
    ("find", "words"), ("search", "words"), ("replace", "words"), ("folder", "folders"), ("creat", "folders"),
    ("new", "folders"), ("rename", "names"), ("run", "commands"), ("command", "commands"), ("name", "names"),
)  # fmt: skip
"""Words of a window's or a field's name to what goes into it; the first that fits."""


def is_calculator(scene: Scene) -> bool:
    """Say whether the window has keys with digits."""
    return {str(digit) for digit in range(10)} <= {one.name for one in scene.everything if one.top == scene.front}
