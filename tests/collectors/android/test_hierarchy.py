"""Dumps are read leniently: real ones without a flag, broken ones with those that say what is wrong."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.android.capture import line, read_line
from worldtape.collectors.android.elements import elements
from worldtape.collectors.android.hierarchy import FLAGS, parse
from worldtape.collectors.android.screen import Screen

NODE = '<hierarchy rotation="0"><node text="{}" class="a.B" bounds="[0,0][9,9]" /></hierarchy>'


@pytest.mark.shared
def test_a_real_dump_is_read_as_an_xml_parser_reads_it(shared_data: Path) -> None:
    path = shared_data / "android" / "uiauto_uiautomator_dump_api27.xml"
    found = parse(path.read_bytes())
    real = ET.parse(path).getroot()
    assert found.flags == ()
    assert [(node.tag, node.attributes) for node in found.nodes] == [(one.tag, one.attrib) for one in real.iter()]
    for node in found.nodes[1:]:
        steps = node.path.removeprefix("/hierarchy[1]/")
        assert real.find(steps).attrib == node.attributes  # type: ignore[union-attr]


@pytest.mark.shared
@pytest.mark.parametrize("share", [0.1, 0.35, 0.6, 0.99])
def test_a_real_dump_that_was_cut_is_read_to_there(shared_data: Path, share: float) -> None:
    data = (shared_data / "android" / "uiauto_uiautomator_dump_api27.xml").read_bytes()
    whole, cut = parse(data), parse(data[: int(len(data) * share)])
    assert "cut_off" in cut.flags
    assert cut.nodes[:-1] == whole.nodes[: len(cut.nodes) - 1]


@pytest.mark.parametrize(
    ("source", "flags", "text"),
    [
        (NODE.format("a &lt;b&gt; &amp;&#10;c"), (), "a <b> &\nc"),
        (NODE.format("a &lt; b") + "\n<!-- seen -->\n", (), "a < b"),
        ("\ufeff" + NODE.format("x"), (), "x"),
        (NODE.format("a\x00b\x1f"), ("control_characters",), "a\ufffdb\ufffd"),
        (NODE.format("a&#0;b&#x1b;"), ("control_characters",), "a\ufffdb\ufffd"),
        (NODE.format("&#99999999;"), ("control_characters",), "\ufffd"),
        (NODE.format("\ud83d\ude00"), ("surrogates",), "\U0001f600"),
        (NODE.format("&#55357;&#56832;"), ("surrogates",), "\U0001f600"),
        (NODE.format("&#xD83D;!"), ("surrogates",), "\ufffd!"),
        (NODE.format("1 < 2"), ("unescaped_less_than",), "1 < 2"),
        (NODE.format("</b> <i>"), ("unescaped_less_than",), "</b> <i>"),
        (NODE.format("fish & chips &copy;"), ("unescaped_ampersand",), "fish & chips &copy;"),
        (NODE.format('say "hi" to all'), ("unescaped_quote",), 'say "hi" to all'),
        (NODE.format('"'), ("unescaped_quote",), '"'),
        (NODE.format("x") + "</hierarchy>", ("text_after_end",), "x"),
        (NODE.format("x") + "\x00\x00", ("control_characters",), "x"),
        (NODE.format("x") + "UI hierarchy dumped to: /dev/tty", ("text_after_end",), "x"),
        (NODE.format("x") + NODE.format("y"), ("text_after_end",), "x"),
        ("WARNING: linker\n" + NODE.format("x"), ("text_before_start",), "x"),
        (NODE.format('x" text="y'), ("duplicate_attribute",), "x"),
        ('<hierarchy><node text="x"><b></node></hierarchy>', ("mismatched_tags",), "x"),
        ('<hierarchy></c><node text="x"/></hierarchy>', ("mismatched_tags",), "x"),
        ('<hierarchy><node text="x" checked enabled=true /></hierarchy>', ("bad_attribute",), "x"),
        ('<hierarchy><node text="x"', ("cut_off",), "x"),
        ('<hierarchy><node text="x', ("cut_off",), "x"),
    ],
)
def test_what_is_broken_is_read_and_flagged(source: str, flags: tuple[str, ...], text: str) -> None:
    found = parse(source)
    assert found.flags == flags
    assert next(node.get("text") for node in found.nodes if "text" in node.attributes) == text


@pytest.mark.parametrize(
    "source", ["", "ERROR: null root node returned by UiTestAutomationBridge.", "<", "< a", "\x00"]
)
def test_what_is_no_dump_has_no_elements(source: str) -> None:
    found = parse(source)
    assert found.nodes == ()
    assert "no_elements" in found.flags
    assert elements(found) == []


def test_bytes_that_are_no_utf_8_are_flagged() -> None:
    found = parse(NODE.format("é").encode("latin-1"))
    assert (found.flags, found.nodes[1].get("text")) == (("bad_encoding",), "\ufffd")


@given(st.text(max_size=200))
def test_anything_can_be_read(source: str) -> None:
    assert set(parse(source).flags) <= set(FLAGS)


@given(st.text(st.sampled_from("<>/=\"' &;#node!-[]?x"), max_size=120))
def test_anything_that_looks_like_markup_can_be_read(source: str) -> None:
    found = parse(f"<hierarchy>{source}</hierarchy>")
    assert found.nodes[0].tag == "hierarchy"
    assert set(found.flags) <= set(FLAGS)


@pytest.mark.parametrize(
    "source",
    [
        "<a>" * 20_000,
        "<a>" * 20_000 + "</b>" * 20_000,
        "<a" + " " * 200_000,
        "<a " + 'x="y"z' * 20_000,
        '<a x="' + '"y' * 200_000,
        "<a/>" + "<!-- " * 20_000,
        "<a>" + "</ " * 100_000,
        "<a>" + "<![CDATA[" * 50_000,
        "<a>" + "<b>x</b>" * 15_000,
        "<a x='" + "&" * 200_000,
        "<" * 200_000,
    ],
    ids=lambda source: source[:12],
)
def test_long_nonsense_takes_time_by_its_length_only(source: str) -> None:
    screen = Screen.of({"source": source})
    assert set(screen.flags) <= set(FLAGS)
    assert all(screen.label(one) is not None for one in screen.elements[:9])


LEGAL = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=40)


@given(st.lists(st.tuples(LEGAL, LEGAL), max_size=5))
def test_good_documents_come_back_without_a_flag(values: list[tuple[str, str]]) -> None:
    nodes = "".join(f"<node text={quoteattr(text)} content-desc={quoteattr(desc)}/>" for text, desc in values)
    found = parse(f"<hierarchy>{nodes}</hierarchy>")
    assert found.flags == ()
    assert [(node.get("text"), node.get("content-desc")) for node in found.nodes[1:]] == values


@given(st.dictionaries(st.text(max_size=5), st.text(st.characters(), max_size=20), max_size=3))
def test_lines_come_back(capture: dict[str, str]) -> None:
    assert read_line(line(capture)) == capture
    assert line(capture).isascii()
    assert line(capture).count(b"\n") == 1


def test_a_line_that_is_none_is_an_empty_capture() -> None:
    assert read_line(b"[1]") == {} == read_line(b'{"source": ')
    assert Screen.of(b"nothing").elements == []
