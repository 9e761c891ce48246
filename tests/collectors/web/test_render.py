"""Renderers and readers of kept trees, without a browser."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.renderers import make_renderer
from worldtape.collectors.web import elements, read_tree
from worldtape.collectors.web.numbers import Document, Numbers, split_id
from worldtape.schemas import Rendering

TREE: dict[str, Any] = {
    "version": 1,
    "url": "http://a.example/",
    "title": "A: \x0b\ufffe“b”",
    "tabs": [{"title": "A", "url": "http://a.example/", "active": True}, {"title": "B\u2028", "url": "about:blank"}],
    "viewport": [800, 600],
    "scroll": [0, 20],
    "size": [800, 1000],
    "error": {"type": "not_actionable", "message": "click: element is not enabled"},
    "events": [{"kind": "download", "name": "x.csv", "bytes": 3}, {"kind": "new one"}],
    "frames": [{"url": "http://a.example/", "prefix": ""}, {"url": "about:srcdoc", "prefix": "a", "owner": 2}],
    "nodes": [
        {"role": "RootWebArea", "name": "A", "props": {"focused": True}, "children": [1, 2, 5]},
        {"role": "link", "name": "it's: \"x\"", "n": 1, "tag": "a", "attrs": {"href": "/#"}, "selector": "#l",
         "props": {"focusable": True}},
        {"role": "Iframe", "name": "", "n": 2, "tag": "iframe", "children": [3]},
        {"role": "RootWebArea", "name": "", "f": 1, "children": [4]},
        {"role": "textbox", "name": "Q", "value": "- a: b", "n": 1, "f": 1, "selector": "x",
         "props": {"focused": True, "required": True}},
        {"role": "none", "name": "", "ignored": "uninteresting", "children": [6, 7]},
        {"role": "StaticText", "name": "plain "},
        {"role": "generic", "name": "", "n": 3, "clickable": True, "cursor": "pointer", "selector": "y",
         "children": [8]},
        {"role": "StaticText", "name": "go"},
    ],
}  # fmt: skip
AXTREE = """## Currently open tabs:
Tab 0 (active tab):
    Title: A
    URL: http://a.example/
Tab 1:
    Title: B\u2028
    URL: about:blank

## Scroll position: 20 px above, 380 px below

## Focused element: [a1]

## Error from previous action:
click: element is not enabled

## What happened:
- file 'x.csv' was downloaded (3 bytes)
- new one

## AXTree:
RootWebArea 'A', focused
	[1] link 'it\\'s: "x"'
	[2] Iframe ''
		RootWebArea ''
			[a1] textbox 'Q' value='- a: b', focused, required
	StaticText 'plain'
	[3] generic, clickable
		StaticText 'go'"""
SNAPSHOT = """### Result
Error: click: element is not enabled

### Open tabs
- 0: (current) [A](http://a.example/)
- 1: [B\u2028](about:blank)

### Events
- file 'x.csv' was downloaded (3 bytes)
- new one

### Page state
- Page URL: http://a.example/
- Page Title: A: \x0b\ufffe“b”
- Scroll position: 0, 20
- Page Snapshot:
```yaml
- link "it's: \\"x\\"" [ref=e1]:
  - /url: /#
- iframe [ref=e2]:
  - textbox "Q" [active] [ref=f1e1]: "- a: b"
- text: plain
- generic [ref=e3] [cursor=pointer]: go
```"""


@pytest.mark.parametrize(("name", "text"), [("web.axtree", AXTREE), ("web.snapshot", SNAPSHOT)])
def test_a_tree_is_told(name: str, text: str) -> None:
    renderer = make_renderer(Rendering(name=name, version="1"))
    assert renderer.render() == ""
    renderer.feed("html", b"<p>")
    renderer.feed("tree", orjson.dumps(TREE) + b"\n")
    assert renderer.render() == text


@given(st.lists(st.integers(0, 5000), max_size=6))
def test_bytes_may_be_split_anywhere(cuts: list[int]) -> None:
    data = orjson.dumps({"version": 1, "url": "old"}) + b"\n" + orjson.dumps(TREE) + b"\n"
    renderer = make_renderer(Rendering(name="web.axtree", version="1"))
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in pairwise(places):
        renderer.feed("tree", data[start:end])
    assert renderer.render() == AXTREE


def test_boxes_are_told_where_asked() -> None:
    renderer = make_renderer(Rendering(name="web.axtree", version="1", parameters={"boxes": True}))
    nodes = [{"role": "button", "name": "B", "n": 1, "box": [1, 2.5, 30.0, 4]}]
    renderer.feed("tree", orjson.dumps({"tabs": [], "frames": [{"prefix": ""}], "nodes": nodes}) + b"\n")
    assert "[1] button 'B', box=\"(1,2.5,30,4)\"" in renderer.render()


def test_what_is_no_tree_is_nothing() -> None:
    assert read_tree(b"no json") == read_tree(b"[]") == {}
    assert elements(b"no json") == elements({}) == []
    renderer = make_renderer(Rendering(name="web.snapshot", version="1"))
    renderer.feed("tree", b"garbage\n")
    assert renderer.render() == ""


def test_elements_are_read() -> None:
    found = {one.id: one for one in elements(orjson.dumps(TREE))}
    assert list(found) == ["1", "2", "a1", "3"]
    field = found["a1"]
    assert (field.ref, field.parent, field.value) == ("f1e1", "2", "- a: b")
    assert field.states == {"focused": True, "required": True}
    assert [one.active for one in found.values()] == [True, False, True, True]
    assert found["3"].text == "go"


def test_numbers_last_as_long_as_their_document() -> None:
    numbers = Numbers()
    first = numbers.document("F", "one", "")
    assert [first.number(backend) for backend in (70, 71, 70)] == [1, 2, 1]
    assert numbers.document("F", "one", "") is first
    assert numbers.find("2") == (first, 2)
    assert numbers.find("3") is numbers.find("a1") is numbers.find("x") is None
    assert numbers.document("F", "two", "").number(99) == 1
    numbers.keep(set())
    assert numbers.find("1") is None


def test_frames_have_letters() -> None:
    document = Document("one", "b")
    letters = [document.letter(backend) for backend in range(28)]
    assert (letters[0], letters[24], letters[25], letters[26]) == ("ba", "bz", "bAa", "bAb")
    assert "be" not in letters
    assert document.letter(0) == "ba"
    assert [split_id(ref) for ref in ("12", "bAa3", "a", "")] == [("", 12), ("bAa", 3), ("a", 0), ("", 0)]
