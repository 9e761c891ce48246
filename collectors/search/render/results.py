"""Answers of search tools as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import orjson

from worldtape.schemas import Rendering

ANSWER = "search.answer"
"""Channel: one JSON object a line, the answer to one call."""
_LABELS = (("title", "Title"), ("snippet", "Snippet"), ("date", "Date"))


class SearchResults:
    """Renderer `search.results`, version 1: the newest answer; "" before the first.

    Reads the lines of channel `search.answer`: `searches` (each `query` with `results`, a `text` or an `error`), a page
    (`markdown`), a `text`, or an `error`. A result is a numbered block of URL, title, snippet and date; what an engine
    did not give has no line.

    Args:
        page_chars: so many characters of a page are shown.
    """

    def __init__(self, page_chars: int = 40_000) -> None:
        self.rendering = Rendering(name="search.results", version="1", parameters={"page_chars": page_chars})
        self._chars = page_chars
        self._rest = b""
        self._answer: dict[str, Any] = {}

    def feed(self, channel: str, data: bytes) -> None:
        """Take the next bytes, split anywhere."""
        if channel != ANSWER:
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            value = _read(line)
            if isinstance(value, dict):
                self._answer = value

    def render(self) -> str:
        """Return the text of the newest answer."""
        answer = self._answer
        if "searches" in answer:
            return "\n\n".join(map(_search, answer["searches"]))
        if "markdown" in answer:
            return self._page(answer["markdown"])
        return f"Error: {answer['error']}" if "error" in answer else answer.get("text", "")

    def _page(self, text: str) -> str:
        if len(text) <= self._chars:
            return text
        return f"{text[: self._chars]}\n\n[Content truncated: {len(text)} characters in total]"


def _search(search: dict[str, Any]) -> str:
    query = _line(search["query"])
    if "error" in search:
        return f'Search for "{query}" failed: {search["error"]}'
    if search.get("text"):
        return f'Results for "{query}":\n\n{search["text"]}'
    blocks = [_block(number, hit) for number, hit in enumerate(search.get("results", ()), 1)]
    return "\n\n".join([f'Results for "{query}":', *blocks]) if blocks else f'No results found for "{query}".'


def _block(number: int, hit: dict[str, str]) -> str:
    return "\n".join([f"[{number}] URL: {_line(hit.get('url', ''))}", *_lines(hit)])


def _lines(hit: dict[str, str]) -> Iterator[str]:
    for name, label in _LABELS:
        if name in hit:
            yield f"{label}: {_line(hit[name])}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _read(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        pass
    try:
        return json.loads(line)
    except ValueError:
        return None


__all__ = ["ANSWER", "SearchResults"]
