"""The script that tells a page of Chromium in the words of a hierarchy dump."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def walker() -> str:
    """Return the body of a JavaScript function for WebDriver's `execute_script`.

    It answers with a mapping of `source`, `size` and `state`, as a capture has them. Classes are those by which
    Chromium presents pages to Android's accessibility service: a button is an `android.widget.Button`.
    """
    return files("worldtape.collectors.android").joinpath("walker.js").read_text(encoding="utf-8")


__all__ = ["walker"]
