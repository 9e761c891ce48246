from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.terminal.actions import keystrokes, strokes_of
from worldtape.collectors.terminal.keys import key_bytes
from worldtape.collectors.terminal.live._typed import Keyboard, to_strokes


def strokes(*chunks: bytes) -> list[str]:
    keyboard = Keyboard()
    keys = [key for chunk in chunks for key in keyboard.feed(chunk)]
    return [str(stroke["keystrokes"]) for stroke in to_strokes(keys)]


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([b"ls\r"], ["ls\n"]),
        ([b"l", b"s", b"\r"], ["ls\n"]),
        ([b"\x03"], ["C-c"]),
        ([b"ls\x7f\x7fpwd\r"], ["ls", "BSpace", "BSpace", "pwd\n"]),
        ([b"\x1b[A\x1bOB\r"], ["Up", "Down", "\n"]),
        ([b"\x1b"], ["Escape"]),
        ([b"\x1b[200~a\rb", b"\x1b[201~"], ["\x1b[200~a\rb\x1b[201~"]),
        ([b"\xc3", b"\xa9\r"], ["é\n"]),
        ([b"\xe2\x82", b"\xac"], ["€"]),
        ([b"\xff"], ["\ufffd"]),
        ([b"Up"], ["U", "p"]),
        ([b"Up\r"], ["Up\n"]),
        ([b"\x1b[?62;22c\x1b[12;40Rx"], ["x"]),
        ([b"\x1b]11;rgb:0000/0000/0000\x07x"], ["x"]),
        ([b"\x1bP1$r0m\x1b\\x"], ["x"]),
        ([b"\x1b[3~\t"], ["Delete", "Tab"]),
    ],
)
def test_keys_become_strokes(chunks: list[bytes], expected: list[str]) -> None:
    found = strokes(*chunks)
    if expected == ["Delete", "Tab"]:
        assert found[1] in {"Tab", "C-i"}
        assert found[0] in {"Delete", "DC"}
    else:
        assert found == expected


@given(
    st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cs"], exclude_characters="\x7f")), st.integers(1, 9)
)
def test_typed_text_is_what_a_replay_types(text: str, size: int) -> None:
    data = text.encode()
    found = strokes(*(data[at : at + size] for at in range(0, len(data), size)))
    action = keystrokes([{"keystrokes": stroke} for stroke in found])
    typed = b"" if action is None else b"".join(key_bytes(stroke.keystrokes) for stroke in strokes_of(action))
    assert typed == data
