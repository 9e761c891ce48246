"""Key names stand for keys only if they are the whole string."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.terminal.keys import is_key_name, key_bytes


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("C-c", b"\x03"),
        ("C-d", b"\x04"),
        ("C-z", b"\x1a"),
        ("C-l", b"\x0c"),
        ("C-C", b"\x03"),
        ("C-Space", b"\x00"),
        ("C-[", b"\x1b"),
        ("C-\\", b"\x1c"),
        ("C-_", b"\x1f"),
        ("C-?", b"\x7f"),
        ("Enter", b"\r"),
        ("Escape", b"\x1b"),
        ("Tab", b"\t"),
        ("BTab", b"\x1b[Z"),
        ("S-Tab", b"\x1b[Z"),
        ("BSpace", b"\x7f"),
        ("Space", b" "),
        ("Up", b"\x1b[A"),
        ("Left", b"\x1b[D"),
        ("PageUp", b"\x1b[5~"),
        ("NPage", b"\x1b[6~"),
        ("Home", b"\x1b[H"),
        ("Delete", b"\x1b[3~"),
        ("F1", b"\x1bOP"),
        ("F5", b"\x1b[15~"),
        ("F12", b"\x1b[24~"),
        ("M-x", b"\x1bx"),
        ("M-Enter", b"\x1b\r"),
        ("C-M-a", b"\x1b\x01"),
        ("C-Right", b"\x1b[1;5C"),
        ("S-F2", b"\x1b[1;2Q"),
        ("C-PageUp", b"\x1b[5;5~"),
    ],
)
def test_names(name: str, sent: bytes) -> None:
    assert is_key_name(name)
    assert key_bytes(name) == sent


@pytest.mark.parametrize(
    "text", ["C-c\n", "echo Up", "C-", "C-cc", "Enterx", " Up", "up", "S-a", "X-a", "", "^C", "C-é"]
)
def test_other_strings_are_text(text: str) -> None:
    assert not is_key_name(text)
    assert key_bytes(text) == text.encode()


def test_full_screen_programs_get_the_application_form() -> None:
    assert key_bytes("Up", application=True) == b"\x1bOA"
    assert key_bytes("PageUp", application=True) == b"\x1b[5~"


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not is_key_name(text)))
def test_any_other_text_is_sent_as_it_is(text: str) -> None:
    assert key_bytes(text) == text.encode()
