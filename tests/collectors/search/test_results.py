"""Answers as text."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import orjson
import pytest
from hypothesis import given

from worldtape.collectors.search.render import ANSWER, SearchResults

FULL = {"url": "https://a.example/1", "title": "One", "snippet": "first\n  line", "date": "3 days ago"}


def shown(*answers: Any, chars: int = 40_000) -> str:
    renderer = SearchResults(page_chars=chars)
    for answer in answers:
        renderer.feed(ANSWER, orjson.dumps(answer) + b"\n")
    return renderer.render()


def test_results_are_numbered_blocks() -> None:
    text = shown({"searches": [{"query": "tides", "results": [FULL, {"url": "https://b.example/"}]}]})
    assert text == (
        'Results for "tides":\n\n'
        "[1] URL: https://a.example/1\nTitle: One\nSnippet: first line\nDate: 3 days ago\n\n"
        "[2] URL: https://b.example/"
    )


def test_every_query_has_its_own_list() -> None:
    searches = [
        {"query": "a", "results": [FULL]},
        {"query": "b", "results": []},
        {"query": "c", "error": "429 Too Many Requests for api.example"},
        {"query": "d", "text": "1. something\n2. else"},
    ]
    assert shown({"searches": searches}).split("\n\n") == [
        'Results for "a":',
        "[1] URL: https://a.example/1\nTitle: One\nSnippet: first line\nDate: 3 days ago",
        'No results found for "b".',
        'Search for "c" failed: 429 Too Many Requests for api.example',
        'Results for "d":',
        "1. something\n2. else",
    ]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"markdown": "# T\n\nx"}, "# T\n\nx"),
        ({"text": "Memory is empty."}, "Memory is empty."),
        ({"text": ""}, ""),
        ({"error": "unknown tool 'x'"}, "Error: unknown tool 'x'"),
        ({"markdown": "x" * 120}, "x" * 100 + "\n\n[Content truncated: 120 characters in total]"),
    ],
)
def test_other_answers(answer: Any, text: str) -> None:
    assert shown({"searches": [{"query": "before", "results": []}]}, answer, chars=100) == text


def test_nothing_yet_and_garbage() -> None:
    assert shown() == shown([1]) == ""
    renderer = SearchResults()
    renderer.feed(ANSWER, b'{"text":"kept"}\nno json\n{"text":"unfinished"')
    renderer.feed("search.body", b'{"text":"of another channel"}\n')
    assert renderer.render() == "kept"


@given(st.binary(max_size=40), st.integers(0, 60))
def test_bytes_may_be_split_anywhere(tail: bytes, at: int) -> None:
    data = orjson.dumps({"searches": [{"query": "ü", "results": [FULL]}]}) + b"\n" + tail
    whole, split = SearchResults(), SearchResults()
    whole.feed(ANSWER, data)
    for part in (data[:at], data[at:]):
        split.feed(ANSWER, part)
    assert whole.render() == split.render()
