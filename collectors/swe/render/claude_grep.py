"""Matches of a `Grep` in its three modes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from worldtape.collectors.swe.render.fold import cut_line, fitting
from worldtape.collectors.swe.render.hits import Hit, hits


def grep_text(answer: dict[str, Any], data: bytes, chars: int) -> str:
    """Return what a search found, laid out as the call's `output_mode` asks.

    Args:
        answer: facts of the call: `mode`, `prefix` (what stands before git's paths), `single` (one file was searched),
            `numbers`, `head`, `skip`.
        data: the output of `git grep`.
        chars: so many are shown, in whole lines.
    """
    found = list(hits(data))
    matches = [hit for hit in found if hit is not None and hit.matched]
    if answer["mode"] == "content":
        return _content(answer, found, chars)
    counts = Counter(answer["prefix"] + hit.path for hit in matches)
    if answer["mode"] == "count":
        lines, more = _page([f"{path}:{count}" for path, count in counts.items()], answer)
        total, files = sum(counts.values()), len(counts)
        tail = f"Found {total} total {_s(total, 'occurrence')} across {files} {_s(files, 'file')}.{more}"
        return "\n".join([*lines, "", tail]) if counts else "No matches found"
    lines, more = _page(list(counts), answer)
    return "\n".join([f"Found {len(counts)} {_s(len(counts), 'file')}{more}", *lines]) if counts else "No files found"


def _content(answer: dict[str, Any], found: list[Hit | None], chars: int) -> str:
    lines = ["--" if hit is None else _line(answer, hit) for hit in found]
    if not lines:
        return "No matches found"
    shown, more = _page(lines, answer)
    kept = fitting(shown, chars)
    left = [f"... [{len(shown) - kept} lines truncated] ..."] if kept < len(shown) else []
    return "\n".join([*shown[:kept], *left]) + (f"\n\n{more.strip()}" if more else "")


def _line(answer: dict[str, Any], hit: Hit) -> str:
    mark = ":" if hit.matched else "-"
    path = "" if answer["single"] else f"{answer['prefix']}{hit.path}{mark}"
    number = f"{hit.number}{mark}" if answer["numbers"] else ""
    return f"{path}{number}{cut_line(hit.text)}"


def _page(lines: list[str], answer: dict[str, Any]) -> tuple[list[str], str]:
    """Return the lines that were asked for, and what is said where that is not all."""
    skip, head = answer["skip"], answer["head"]
    page = lines[skip:] if head is None else lines[skip : skip + head]
    if len(page) == len(lines):
        return page, ""
    told = [f"limit: {head}"] * (head is not None and skip + head < len(lines)) + [f"offset: {skip}"] * bool(skip)
    return page, f" [Showing results with pagination = {', '.join(told)}]" if told else ""


def _s(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"


__all__ = ["grep_text"]
