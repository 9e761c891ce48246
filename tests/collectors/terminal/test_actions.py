"""The recipe's array of keystrokes and waits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.terminal import keystrokes, resize
from worldtape.collectors.terminal.actions import Stroke, size_of, strokes_of
from worldtape.errors import InputError
from worldtape.schemas import Action


def test_canonical_text_and_arguments() -> None:
    action = keystrokes('[ {"duration":0.5, "keystrokes":"ls\\n"}, {"keystrokes":"é","duration":1.0} ]')
    assert action is not None
    assert action.text == '[{"keystrokes": "ls\\n", "duration": 0.5}, {"keystrokes": "é", "duration": 1}]'
    assert action.raw is not None
    assert action.wait_s == 1.5
    assert json.loads(action.arguments or "") == json.loads(action.text)


def test_the_empty_array_ends() -> None:
    assert keystrokes("[]") is None
    assert keystrokes([]) is None


def test_plain_strings_and_no_duration() -> None:
    action = keystrokes(["ls\n", {"keystrokes": ""}])
    assert action is not None
    assert action.wait_s is None
    assert strokes_of(action) == (Stroke("ls\n"), Stroke(""))


@pytest.mark.parametrize(
    "given",
    [
        "ls",
        "{}",
        '{"keystrokes": "ls"}',
        "[1]",
        "[[]]",
        '[{"duration": 1}]',
        '[{"keystrokes": 1}]',
        '[{"keystrokes": "a", "duration": "1"}]',
        '[{"keystrokes": "a", "duration": -1}]',
        '[{"keystrokes": "a", "duration": true}]',
        '[{"keystrokes": "a", "duration": NaN}]',
        '[{"keystrokes": "a", "duration": 1e9}]',
        '[{"keystrokes": "a", "wait": 1}]',
        '[{"keystrokes": "\\ud800"}]',
        "[" * 100_000,
    ],
)
def test_everything_else_is_refused_in_one_line(given: str) -> None:
    with pytest.raises(InputError) as caught:
        keystrokes(given)
    assert "\n" not in str(caught.value)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"keystrokes": st.text(st.characters(exclude_categories=["Cs"]))},
            optional={"duration": st.floats(0, 3600) | st.integers(0, 3600)},
        ),
        min_size=1,
    )
)
def test_round_trip(value: list[dict[str, Any]]) -> None:
    action = keystrokes(value)
    assert action is not None
    again = keystrokes(action.text)
    assert again is not None
    assert strokes_of(again) == strokes_of(action)
    assert again.text == action.text


def test_size() -> None:
    assert size_of(resize(90, 20)) == (90, 20)
    with pytest.raises(InputError):
        size_of(Action(kind="resize", text='{"cols": 0, "rows": 5}'))
    with pytest.raises(InputError):
        size_of(Action(kind="resize", text="[]"))
