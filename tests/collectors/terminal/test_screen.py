"""The screen, against xterm's own fixtures and against splits."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyghostty import Terminal

from tests.collectors.terminal.test_marks import split
from worldtape.collectors.renderers import RENDERERS, make_renderer
from worldtape.collectors.terminal.render._text import Text
from worldtape.collectors.terminal.render.screen import Screen
from worldtape.errors import NotFoundError, VersionError
from worldtape.schemas import Rendering

PIECES = [
    b"\x1bktitle\x1b\\", b"\x1bk", b"\x1b\\", b"\x1b", b"text", b"\r\n", b"\x1b[2J\x1b[H", b"\x1b]0;t\x07",
    b"\x1b[?1049h",
    b"\x1b[?1049l", "é你e\u0301".encode(), b"\xff\xfe", b"\x1b[5A", b"\x1b[31m", b"\x1b[>4;?m",
    b"\x1b[?1;1H", b"\x1b[?1r",
    b"\x18", b"\t", b"\x08", b"\x00", "\u2028\u0085".encode(), b"k",
]  # fmt: skip


def screen(*data: bytes, cols: int = 80, rows: int = 25) -> Screen:
    made = Screen(cols, rows)
    for piece in data:
        made.feed("pty", piece)
    return made


@pytest.mark.parametrize(
    "name",
    ["t0003-line_wrap", "t0004-LF", "t0005-CR", "t0006-IND", "t0101-NLM", "t0504-vim"],
)
@pytest.mark.shared
def test_xterm_fixtures(name: str, shared_data: Path) -> None:
    folder = shared_data / "term_raw"
    wanted = (folder / f"xt_{name}.text").read_bytes().decode().split("\n")
    found = screen((folder / f"xt_{name}.in").read_bytes().replace(b"\n", b"\r\n")).render()
    assert found == "\n".join(line.rstrip() for line in wanted).rstrip("\n")


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.lists(st.integers(0, 1000), max_size=30))
def test_the_split_makes_no_difference(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    assert screen(data).render() == screen(*split(data, cuts)).render()


@given(st.binary(max_size=300), st.lists(st.integers(0, 1000), max_size=10))
def test_any_bytes_render(data: bytes, cuts: list[int]) -> None:
    assert screen(data).render() == screen(*split(data, cuts)).render()


def test_titles_are_not_text() -> None:
    assert screen(b"a\x1bkwindow\x1b\\b").render() == "ab"
    assert screen(b"a\x1b", b"kwin", b"dow", b"\x1b", b"\\b").render() == "ab"
    assert screen(b"a\x1bkcut\x18b").render() == "ab"


def test_blank_rows_stay_between_and_go_at_the_end() -> None:
    assert screen(b"\r\n\r\nx   \r\n\r\n").render() == "\n\nx"
    assert screen().render() == ""


def test_the_shell_comes_back_after_a_full_screen_program() -> None:
    assert screen(b"shell\x1b[?1049h\x1b[2J\x1b[Hvim").alternate
    assert screen(b"shell\x1b[?1049h\x1b[2J\x1b[Hvim\x1b[?1049l$").render() == "shell$"


def test_a_progress_line_keeps_stale_characters() -> None:
    assert screen(b"10/10 ETA 00s\r9/10 ETA 8s").render() == "9/10 ETA 8s0s"


def test_wide_and_combining_characters() -> None:
    assert screen("你好 e\u0301 x".encode(), cols=4).render().startswith("你好")
    assert screen("a\u0301你|".encode()).cursor == (4, 0)


def test_sizes() -> None:
    made = screen(b"0123456789", cols=10, rows=5)
    for piece in (b'{"cols":20,', b'"rows":3}\n'):
        made.feed("pty.size", piece)
    assert made.size == (20, 3)
    for bad in (b"nonsense\n", b'{"cols":0,"rows":1}\n', b'{"cols":"9","rows":1}\n', b"[]\n", b"1\n"):
        made.feed("pty.size", bad)
    assert made.size == (20, 3)


def test_it_answers_only_where_somebody_listens() -> None:
    replies: list[bytes] = []
    Screen(80, 25, on_reply=replies.append).feed("pty", b"ab\x1b[6n")
    assert replies == [b"\x1b[1;3R"]
    assert screen(b"ab\x1b[6n").render() == "ab"


def test_renderers_by_name() -> None:
    made = make_renderer(Rendering(name="terminal.screen", version="1", parameters={"cols": 10, "rows": 2}))
    made.feed("pty", b"x")
    made.feed("unknown", b"y")
    assert made.render() == "x"
    assert "terminal.screen" in RENDERERS
    with pytest.raises(VersionError):
        make_renderer(Rendering(name="terminal.screen", version="0"))
    with pytest.raises(NotFoundError, match=r"terminal\.screen"):
        make_renderer(Rendering(name="terminal.scren", version="1"))


ODD = ["\x1b[?40h\x1b[?3h", "\x1b[2J", "\x1b[?1049h", "e\u0301" * 9]


@given(st.lists(st.text(max_size=300) | st.sampled_from(ODD), max_size=9))
def test_the_quick_text_is_the_cores_own(pieces: list[str]) -> None:
    terminal = Terminal(40, 9)
    text = Text(terminal)
    for piece in pieces:
        terminal.feed(piece.encode("utf-8", "replace"))
        assert text.read() == terminal.text()


def test_a_screen_larger_than_the_buffer() -> None:
    terminal = Terminal(1000, 100)
    terminal.feed("界".encode() * 50_000)
    assert Text(terminal).read() == terminal.text()
    assert len(Text(terminal).read().encode()) > 1 << 16
