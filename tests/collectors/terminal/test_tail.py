"""An error's message is what the command printed: no prompt, no echo."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.terminal._tail import Tail
from worldtape.collectors.terminal.marks import Marks

PASTE = "\x1b[?2004h"
ENTERED = "\r\n\x1b[?2004l\r"


def mark(code: int, number: int) -> str:
    return f"\x1b]8771;n0;{code};{{ : {number}; }} 2>/dev/null\x07"


def message(output: str, typed: str = "", *, at_prompt: bool = True, cuts: int = 0) -> str | None:
    tail, marks = Tail(), Marks("n0")
    tail.feed(b"older\r\n")
    tail.clear(at_prompt=at_prompt)
    tail.typed(typed.encode())
    data = output.encode()
    for start in range(0, len(data), cuts or len(data)):
        tail.feed(data[start : start + (cuts or len(data))])
    return tail.last_line(marks)


def line(typed: str, printed: str, code: int, number: int) -> str:
    return f"{typed}{ENTERED}{printed}{mark(code, number)}{PASTE}me$ "


@given(st.integers(0, 40))
def test_a_silent_command_has_no_message(cuts: int) -> None:
    output = line("cat a", "cat: a: no\r\n", 1, 2) + line("false", "", 1, 3)
    assert message(output, "cat a\nfalse\n", cuts=cuts) is None


@pytest.mark.parametrize(
    ("output", "typed", "at_prompt", "expected"),
    [
        (line("cat a", "\x1b[31mcat: a: no\x1b[m\r\n\r\n", 1, 2), "cat a\n", True, "cat: a: no"),
        (line("cat a", "no\r\n", 1, 2) + line("", "", 1, 2), "cat a\n\n", True, "no"),
        (line("for x in 1; do\r\n> false; done", "", 1, 2), "for x in 1; do\nfalse; done\n", True, None),
        (line("read x; false", "abc\r\n", 1, 2), "read x; false\nabc\n", True, None),
        (line("read -p 'who? ' x; false", "who? me\r\n", 1, 2), "read -p 'who? ' x; false\nme\n", True, "who?"),
        (line("cat; false", "a\r\na\r\n", 1, 2), "cat; false\na\n", True, "a"),
        ("late\r\n" + mark(1, 2), "", False, "late"),
        ("ls\r\nlate\r\n" + mark(1, 2), "ls\n", False, "late"),
        ("late\r\nls\r\n" + mark(1, 2), "ls\n", False, "late"),
        ("^C\r\n" + mark(130, 2), "\x03", False, None),
        ("^Cbye\r\n" + mark(130, 2), "\x03", False, "bye"),
        (f"false\r\n{mark(1, 2)}me$ ", "false\n", True, None),
        (f"true\r\n{mark(0, 2)}me$ ls x\r\nls: no x\r\n{mark(1, 3)}me$ ", "true\nls x\n", True, "ls: no x"),
        (f"true\r\n{mark(0, 2)}a\r\nme$ false\r\n{mark(1, 3)}a\r\nme$ ", "true\nfalse\n", True, None),
        (line("x", "1\r\n" * 4000 + "2\r\n", 1, 2), "x\n", True, "2"),
        ("nothing\r\n", "", True, None),
    ],
    ids=range(16),
)  # fmt: skip
def test_the_message_is_what_was_printed(output: str, typed: str, at_prompt: bool, expected: str | None) -> None:
    assert message(output, typed, at_prompt=at_prompt) == expected


@given(st.binary(), st.binary(), st.booleans())
def test_any_bytes_pass(output: bytes, typed: bytes, at_prompt: bool) -> None:
    tail, marks = Tail(), Marks("n0")
    tail.clear(at_prompt=at_prompt)
    tail.typed(typed)
    tail.feed(output + mark(1, 2).encode())
    found = tail.last_line(marks)
    assert found is None or "\n" not in found
