"""Recorded text on somebody's terminal."""

from __future__ import annotations


def clean(text: str) -> str:
    """Return `text` with control characters made visible: a recording must not drive the reader's terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)
