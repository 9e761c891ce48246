"""What commands wrote, as far as it is shown."""

from __future__ import annotations


def shorten(text: str, chars: int) -> str:
    """Return `text`, or where it is longer, its first fifth and its end in whole lines and how many lines are left out.

    A single line is cut inside.
    """
    if len(text) <= chars:
        return text
    head, tail = chars // 5, chars - chars // 5
    first = text.rfind("\n", 0, head) + 1 or head
    start = len(text) - tail
    found = text.find("\n", start)
    last = found + 1 if 0 <= found < len(text) - 1 else start
    left = text.count("\n", first, last)
    what = f"{left} lines" if left > 1 else f"{last - first} characters"
    return f"{text[:first].removesuffix(chr(10))}\n... [{what} truncated] ...\n{text[last:]}"


def span(seconds: float) -> str:
    """Return a time limit as people say it: `2m 0s`, `1.5s`."""
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}m {rest:g}s" if minutes else f"{rest:g}s"


def is_binary(data: bytes) -> bool:
    """Whether a command wrote something that no screen shows."""
    return b"\0" in data[:4096]


__all__ = ["is_binary", "shorten", "span"]
