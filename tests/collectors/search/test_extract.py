"""Extraction never fails on what the web holds."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from worldtape.collectors.search.answers import Body, Fault, Page
from worldtape.collectors.search.extract import extract, front_matter

SOUP = st.lists(
    st.one_of(
        st.sampled_from(
            ["<p>", "</p>", "<div>", "<table><tr><td>", "</table>", "<a href='x", "<script>", "<!--", "<![CDATA["]
        ),
        st.sampled_from(["&amp;", "&#0;", "&#xD800;", "\x00", "\x0b", "\u2028", "text of some length here. "]),
        st.text(max_size=8),
    ),
    max_size=30,
).map("".join)


def page(data: bytes, kind: str = "text/html") -> Page | Fault:
    return extract(Body(url="https://a.example/b/c.html", media_type=kind, data=data))


@settings(max_examples=60, deadline=None)
@given(SOUP)
def test_any_soup_is_a_page_or_a_fault(soup: str) -> None:
    found = page(soup.encode("utf-8", "surrogatepass"))
    if isinstance(found, Page):
        assert found.markdown.strip()
        found.markdown.encode()
        assert found == page(soup.encode("utf-8", "surrogatepass"))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["text/html", "text/plain", "", "text/markdown", "application/xml"]))
def test_any_bytes_are_a_page_or_a_fault(data: bytes, kind: str) -> None:
    assert isinstance(page(data, kind), (Page, Fault))


@pytest.mark.parametrize("data", [b"<div>" * 20_000 + b"deep", b"<" * 5000, b"<p>" + b"a" * 200_000])
def test_extremes(data: bytes) -> None:
    assert isinstance(page(data), (Page, Fault))


def test_links_in_markdown_but_not_in_code() -> None:
    text = b"[a](x.md) and ![p](../p.png)\n```\n[b](y.md)\n```\n    [c](z.md)\n[d](https://d.example/) [e](#f)\n"
    found = page(text, "text/markdown")
    assert isinstance(found, Page)
    assert found.markdown.split("\n") == [
        "[a](https://a.example/b/x.md) and ![p](https://a.example/p.png)",
        "```",
        "[b](y.md)",
        "```",
        "    [c](z.md)",
        "[d](https://d.example/) [e](https://a.example/b/c.html#f)",
    ]


@pytest.mark.parametrize(
    ("text", "head", "rest"),
    [
        ("---\ntitle: 'A: b'\nDate: 2024-01-01\nempty:\n---\nx", {"title": "A: b", "date": "2024-01-01"}, "x"),
        ("---\nno end\nx", {}, "---\nno end\nx"),
        ("x\n---\na: b\n---\n", {}, "x\n---\na: b\n---\n"),
    ],
)
def test_front_matter(text: str, head: dict[str, str], rest: str) -> None:
    assert front_matter(text) == (head, rest)
