"""Every part of a turn is read back exactly, whatever stands in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.errors import FormatError
from worldtape.pipelines.build import read_action, read_observation, read_prediction, read_state
from worldtape.pipelines.build._text import (
    action_block,
    asked,
    observation_text,
    predictable,
    prediction_text,
    user_text,
)

NASTY = st.sampled_from(
    [
        *(
            "`",
            "```",
            "````\n",
            "\n```",
            "\n```\n",
            "```json\n",
            "\n\n",
            "\n",
            " ",
            "\t",
            "\r\n",
            "\u2028",
            "\u0085",
            "\x00",
        ),
        *("**Action:**\n", "\n\n**Action:**\n```json\n", "**Current State:**\n", "**Environment Observation:**\n"),
        *("### Turn 1\n", "<predicted_observation>", "</predicted_observation>", "é", "漢", "🙂"),
    ]
)
TEXT = st.lists(NASTY | st.text(max_size=8), max_size=12).map("".join)


@given(TEXT)
def test_observation_round_trip(text: str) -> None:
    written = observation_text(text)
    assert written.startswith("**Environment Observation:**\n")
    assert read_observation(written) == text


@given(TEXT)
def test_prediction_round_trip(text: str) -> None:
    if predictable(text):
        written = prediction_text(text)
        assert written.count("<predicted_observation>") == 1
        assert written.count("</predicted_observation>") == 1
        assert read_prediction(f"<think>some thoughts</think>\n{written}") == text


@given(TEXT, TEXT | st.none(), st.sampled_from(["keystrokes", "python", "browser_call"]), st.booleans())
def test_user_turn_round_trip(action: str, state: str | None, kind: str, ask: bool) -> None:
    written = user_text(3, action_block(kind, action), state=state, instruction="Count the lines in `a.txt`.")
    written = asked(written) if ask else written
    assert read_action(written) == action
    assert read_state(written) == state


def test_layout_is_that_of_the_benchmark() -> None:
    block = action_block("keystrokes", '[{"keystrokes": "ls\\n", "duration": 0.1}]')
    assert user_text(1, block, instruction="Do it.", state="root@c:/app#") == (
        "### Turn 1\n**Task Instruction:**\nDo it.\n\n**Current State:**\nroot@c:/app#\n\n"
        '**Action:**\n```json\n[{"keystrokes": "ls\\n", "duration": 0.1}]\n```'
    )
    assert user_text(2, action_block("browser_call", 'click("a12")')) == (
        '### Turn 2\n**Action:**\n```\nclick("a12")\n```'
    )


@pytest.mark.parametrize("read", [read_observation, read_prediction, read_action, read_state])
@pytest.mark.parametrize("text", ["", "hello", "**Action:**\nls", "<predicted_observation>\n", "a\n```\nb\n```"])
def test_what_is_no_turn_is_refused(read, text: str) -> None:
    with pytest.raises(FormatError):
        read(text)


def test_a_fence_names_the_language_of_the_action() -> None:
    assert action_block("keystrokes", "[]") == "```json\n[]\n```"
    assert action_block("tool_call", "{}") == action_block("resource_read", "{}") == "```json\n{}\n```"
    assert action_block("browser_call", 'click("a12")') == '```\nclick("a12")\n```'
    assert action_block("python", "pyautogui.click()") == "```python\npyautogui.click()\n```"
