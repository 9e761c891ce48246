"""Exit codes by marks that no screen shows."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.terminal.marks import Marks
from worldtape.collectors.terminal.render.screen import Screen

STREAM = (
    b"$ ls\r\n\x1b]8771;n0;2;{ : 1; } 2>/dev/null\x07$ \r\n\x1b]8771;n0;2;{ : 1; } 2>/dev/null\x07$ "
    b"\x1b]8771;other;9;{ : 2; } 2>/dev/null\x07\x1b]8771;n0;0;{ : 2; } 2>/dev/null\x07$ \x1b]8772;n0;7\x07"
)


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(edges)]


@given(st.lists(st.integers(0, 10_000), max_size=40))
def test_the_split_makes_no_difference(cuts: list[int]) -> None:
    marks = Marks("n0")
    for piece in split(STREAM, cuts):
        marks.feed(piece)
    assert marks.take() == (2, 0)
    assert marks.take() == ()
    assert marks.seen == 3
    assert marks.answered == 7


@given(st.binary())
def test_any_bytes_pass(data: bytes) -> None:
    marks = Marks("n0")
    marks.feed(data)
    marks.feed(b"\x1b]8771;n0;1;{ : 5; } 2>/dev/null\x07")
    assert marks.codes[-1:] in ([1], [])


def test_no_mark_is_shown() -> None:
    screen = Screen(80, 10)
    screen.feed("pty", STREAM)
    assert screen.render() == "$ ls\n$\n$ $"
