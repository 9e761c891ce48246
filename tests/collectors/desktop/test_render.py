"""The two renderers and the readers of kept trees, on captures of real programs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.collectors.desktop._captures import NAMES, line, tree
from worldtape.collectors.desktop.tree import places, read_tree
from worldtape.collectors.desktop.widgets import widget_at, widgets
from worldtape.collectors.renderers import make_renderer
from worldtape.schemas import Rendering

SMALL: dict[str, Any] = {
    "screen": [800, 600],
    "windows": [
        {"title": 'a "b"', "class": "pad", "box": [0, 20, 400, 300], "active": True},
        {"title": "", "hidden": True},
    ],
    "nodes": [
        {"parent": None, "role": "application", "name": "pad", "pid": 41},
        {"parent": 0, "role": "frame", "name": 'a "b"', "states": ["active", "enabled", "showing"],
         "box": [0, 20, 400, 300]},
        {"parent": 1, "role": "filler", "name": "", "states": ["enabled", "showing"], "box": [0, 20, 400, 300]},
        {"parent": 2, "role": "menu", "name": "File", "states": ["enabled", "showing"], "box": [0, 20, 40, 20]},
        {"parent": 3, "role": "menu item", "name": "Quit", "states": ["enabled"],
         "box": [-2147483648, -2147483648, 1, 1]},
        {"parent": 2, "role": "text", "name": "", "states": ["editable", "enabled", "focused", "showing"],
         "box": [0, 40, 400, 200], "text": 'one\ttwo\n"3"', "caret": 4, "selection": [0, 3], "text_left_out": 7},
        {"parent": 2, "role": "slider", "name": "Zoom", "states": ["showing"], "box": [390, 300, 40, 20],
         "value": [1.0, 0.0, 10.0]},
        {"parent": 2, "role": "push button", "name": "Far", "states": ["enabled", "showing"], "box": [0, 900, 40, 20]},
        {"parent": 2, "role": "label", "name": "Ready", "states": ["enabled", "showing"], "box": [0, 290, 60, 20]},
    ],
    "action": {"output": "42\n", "error": "Traceback (most recent call last):\nNameError: x"},
    "flags": ["walk_deadline"],
}  # fmt: skip
HEAD = """## Windows, lowest first:
- "a \\"b\\"" (pad) [active] at (0, 20), 400x300
- "" (unknown) [hidden]
(not all elements could be read in time)

## Output of the previous action:
42

## Error from the previous action:
Traceback (most recent call last):
NameError: x

## Accessibility tree:
"""
AS_TREE = """application "pad"
  frame "a \\"b\\"" [active] (0,20 400x300)
    menu "File" (0,20 40x20)
    text text="one\\ttwo\\n\\"3\\"" [focused, editable, caret=4, selection=0-3, 7 more characters] (0,40 400x200)
    slider "Zoom" value=1 (0..10) [disabled] (390,300 40x20)
    push button "Far" (off-screen)
    label "Ready" (0,290 60x20)"""
AS_TABLE = """role\tname\ttext\tvalue\tstates\tposition\tsize
application\tpad\t\t\t\t\t
frame\ta "b"\t\t\tactive\t(0, 20)\t(400, 300)
menu\tFile\t\t\t\t(0, 20)\t(40, 20)
text\t\tone\\ttwo\\n"3"\t\tfocused, editable, caret=4, selection=0-3, 7 more characters\t(0, 40)\t(400, 200)
slider\tZoom\t\t1 (0..10)\tdisabled\t(390, 300)\t(40, 20)
push button\tFar\t\t\t\toff-screen\t
label\tReady\t\t\t\t(0, 290)\t(60, 20)"""


def told(name: str, data: bytes, **parameters: Any) -> str:
    renderer = make_renderer(Rendering(name=name, version="1", parameters=parameters))
    renderer.feed("tree", data)
    return renderer.render()


def test_a_desktop_is_told_as_a_tree_and_as_a_table() -> None:
    data = orjson.dumps(SMALL) + b"\n"
    assert told("desktop.tree", data) == HEAD + AS_TREE
    assert told("desktop.table", data) == HEAD + AS_TABLE


def test_what_is_hidden_is_told_when_asked_for() -> None:
    data = orjson.dumps(SMALL) + b"\n"
    assert '      menu item "Quit" (hidden)' in told("desktop.tree", data, hidden=True)
    assert "menu item\tQuit\t\t\t\thidden\t" in told("desktop.table", data, hidden=True)


@pytest.mark.parametrize("renderer", ["desktop.table", "desktop.tree"])
@pytest.mark.parametrize("name", NAMES)
def test_no_capture_prints_impossible_coordinates(name: str, renderer: str) -> None:
    for parameters in ({}, {"hidden": True}):
        text = told(renderer, line(name), **parameters)
        assert "-2147483648" not in text
        assert "## Accessibility tree:" in text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("menu", '      menu "File" [selected] (639,315 39x25)\n        menu item "New" (639,340 304x25)'),
        ("menu", '        menu item "Save" [disabled] (639,467 304x25)'),
        ("save_as", '  file chooser "Save As" [active, modal] (182,0 1098x800)'),
        ("save_as", 'text text="notes.txt" [focused, editable, caret=5] (248,30 1021x34)'),
        ("unsaved", 'push button "Don\'t Save" (875,597 171x34)'),
        ("context_menu", '    menu [focused] (485,125 153x227)\n      menu item "Open" (487,128 149x21)'),
        ("folder", 'icon text="notes.txt" (445,92 88x65)'),
        ("calculator", 'toggle button "MR" [disabled] (202,595 59x34)'),
    ],
)
def test_what_happens_on_a_desktop_stands_in_its_tree(name: str, expected: str) -> None:
    assert expected in told("desktop.tree", line(name))


@settings(deadline=None)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 20_000), max_size=6), st.sampled_from(NAMES))
def test_a_split_anywhere_changes_nothing(seed: int, cuts: list[int], name: str) -> None:
    data = line("folder") + line(name) + line("menu")[: seed % 50]
    renderer = make_renderer(Rendering(name="desktop.tree", version="1"))
    for start, end in pairwise(sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})):
        renderer.feed("tree", data[start:end])
        renderer.feed("other", b"{}\n")
    assert renderer.render() == told("desktop.tree", line(name))


def test_nothing_and_what_is_gone() -> None:
    assert told("desktop.tree", b"") == ""
    assert told("desktop.table", b"no tree\n") == ""
    assert told("desktop.table", b'{"gone":"display"}\n') == "The display is gone."
    assert told("desktop.tree", b'{"gone":"container"}\n') == "The container is gone."


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NODES = st.lists(
    st.fixed_dictionaries(
        {
            "parent": st.none() | st.integers(-1, 6),
            "role": st.sampled_from(["application", "frame", "text", "menu", "x"]),
        },
        optional={
            "name": TEXTS,
            "text": TEXTS,
            "states": st.lists(st.sampled_from(["showing", "focused", "enabled", "editable"])),
            "box": st.lists(st.integers(-(2**31), 2**31 - 1), min_size=3, max_size=5),
            "value": st.lists(st.none() | st.floats(), max_size=3),
            "caret": st.integers(-1, 5),
        },
    ),
    max_size=8,
)


@settings(deadline=None)
@given(NODES)
def test_any_nodes_are_told(nodes: list[dict[str, Any]]) -> None:
    raw = {"screen": [640, 480], "nodes": nodes}
    data = orjson.dumps(raw) + b"\n"
    for name in ("desktop.tree", "desktop.table"):
        for hidden in (False, True):
            text = told(name, data, hidden=hidden)
            assert "-2147483648" not in text
    for one in widgets(read_tree(data)):
        assert one.box[0] >= 0
        assert one.box[0] + one.box[2] <= 640
        assert 0 <= one.centre[1] < 480
    assert len(places(raw)) == len(nodes)


def test_widgets_are_what_shows_and_takes_actions() -> None:
    found = {(one.role, one.name): one for one in widgets(tree("menu")) if one.application == "mousepad"}
    assert found["menu item", "Save As..."].enabled
    assert not found["menu item", "Save"].enabled
    assert found["menu item", "Save"].window == "/home/user/notes.txt - Mousepad"
    assert found["menu item", "Save"].application == "mousepad"
    assert ("menu item", "Undo") not in found
    area = next(one for one in widgets(tree("menu")) if one.role == "text" and "multi-line" in one.states)
    assert area.typed
    assert area.text == "hello there\n"
    target = found["menu", "File"].target()
    assert (target.role, target.name, target.box) == ("menu", "File", (639, 315, 39, 25))


def test_a_point_is_in_the_innermost_widget_of_the_highest_window() -> None:
    raw = tree("unsaved")
    button = next(one for one in widgets(raw) if one.name == "Don't Save")
    found = widget_at(raw, *button.centre)
    assert found is not None
    assert found.name == "Don't Save"
    assert widget_at(raw, 3, 797) is None
