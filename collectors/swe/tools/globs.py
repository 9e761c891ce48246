"""Glob patterns: `*`, `?`, `[a-z]`, `**`, `{a,b}`."""

from __future__ import annotations

import re
from functools import lru_cache

_MOST = 256
"""So many alternatives of braces are told apart."""


def expand(pattern: str) -> list[str]:
    """Return a pattern without braces, once for each alternative."""
    done: list[str] = []
    waiting = [pattern]
    while waiting and len(done) + len(waiting) <= _MOST:
        one = waiting.pop(0)
        inner = _braces(one)
        if inner is None:
            done.append(one)
        else:
            start, end, choices = inner
            waiting = [one[:start] + choice + one[end:] for choice in choices] + waiting
    return list(dict.fromkeys(done + waiting))


def matcher(pattern: str, *, anywhere: bool) -> re.Pattern[str]:
    """Return what matches the paths (relative, with `/`) that a pattern means.

    Args:
        pattern: `**` stands for any number of directories.
        anywhere: whether a pattern without a slash matches names in any directory, as in a `.gitignore`.
    """
    return _compiled(pattern.removeprefix("./"), anywhere)


@lru_cache(maxsize=256)
def _compiled(pattern: str, anywhere: bool) -> re.Pattern[str]:
    loose = anywhere and "/" not in pattern
    whole = "|".join(_regex(f"**/{one}" if loose else one.lstrip("/")) for one in expand(pattern))
    return re.compile(f"(?:{whole})\\Z", re.DOTALL)


def _braces(pattern: str) -> tuple[int, int, list[str]] | None:
    """Return where the first braces with alternatives stand, and what is in them."""
    start = -1
    while (start := pattern.find("{", start + 1)) >= 0:
        depth, cut, choices = 0, start + 1, []
        for at in range(start, len(pattern)):
            sign = pattern[at]
            depth += (sign == "{") - (sign == "}")
            if sign == "," and depth == 1:
                choices.append(pattern[cut:at])
                cut = at + 1
            if depth == 0:
                if choices:
                    return start, at + 1, [*choices, pattern[cut:at]]
                break
    return None


def _regex(pattern: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            parts.append("(?:[^/]+/)*")
            at += 3
        elif pattern[at:] == "**" and (at == 0 or pattern[at - 1] == "/"):
            parts.append(".+")
            at += 2
        else:
            part, at = _sign(pattern, at)
            parts.append(part)
    return "".join(parts)


def _sign(pattern: str, at: int) -> tuple[str, int]:
    sign = pattern[at]
    if sign == "*":
        end = at
        while pattern[end : end + 1] == "*":
            end += 1
        return "[^/]*", end
    if sign == "?":
        return "[^/]", at + 1
    if sign == "\\" and at + 1 < len(pattern):
        return re.escape(pattern[at + 1]), at + 2
    end = pattern.find("]", at + 2 + (pattern[at + 1 : at + 2] in ("!", "^"))) if sign == "[" else -1
    if end < 0:
        return re.escape(sign), at + 1
    body = pattern[at + 1 : end]
    negated = body[:1] in ("!", "^")
    inner = body[negated:].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
    inner = re.sub(r"([&~|])\1", r"\1\\\1", inner)
    made = f"[{'^/' if negated else ''}{inner}]"
    try:
        re.compile(made)
    except re.error:
        return re.escape(pattern[at : end + 1]), end + 1
    return (made if negated else f"(?!/){made}"), end + 1


__all__ = ["expand", "matcher"]
