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


THREAD = """<body><div>banner</div><main><h1>Anchorage?</h1>
<article><h2>gull</h2><p>Is the bay any good?</p></article>
<article><h2>salt</h2><p>No. Take the east side.</p></article></main></body>"""
LISTS = (
    "<h1>Index</h1><dl>"
    + "".join(f"<dt><a href='#{n}'>name{n}</a></dt><dd>what it is</dd>" for n in range(20))
    + "</dl>"
)


@pytest.mark.parametrize(
    ("html", "told"),
    [
        (THREAD, ["# Anchorage?", "## gull", "Is the bay any good?", "## salt", "No. Take the east side."]),
        ("<p>before</p><article><h1>One</h1><p>short</p></article>", ["# One", "short"]),
        ("<h1>A</h1><table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table>", ["# A", "| 1 | 2 |"]),
        ("<h1>A</h1><ul><li>one</li><li>two</li></ul>", ["# A", "- one", "- two"]),
        ("<h1>A</h1><pre><code>x = 1\ny = 2</code></pre>", ["# A", "x = 1\ny = 2"]),
        (LISTS, ["name0", "name19"]),
    ],
)
def test_what_a_page_says_is_there(html: str, told: list[str]) -> None:
    found = page(html.encode())
    assert isinstance(found, Page)
    at = [found.markdown.find(text) for text in told]
    assert -1 not in at
    assert at == sorted(at)


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
