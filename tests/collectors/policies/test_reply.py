from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.policies._reply import MAX_WAIT_S, find_keys, read_reply

LS = [{"keystrokes": "ls\n"}]
FENCED = 'I look first.\n```json\n[{"keystrokes": "ls\\n", "duration": 0.5}]\n```\nThen more.'


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (FENCED, [{"keystrokes": "ls\n", "duration": 0.5}]),
        ('[{"keystrokes": "ls\\n"}]', LS),
        ('see [1] and {x}: [{"keystrokes": "ls\\n"}] or [{"keystrokes": "pwd\\n"}]', LS),
        ('[{"keystrokes": "pwd\\n"}] no:\n```\n[{"keystrokes": "ls\\n"}]\n```', LS),
        ('{"commands": [{"keystrokes": "ls\\n", "is_blocking": true}]}', LS),
        ('{"keystrokes": "ls\\n", "duration": "soon"}', LS),
        ('[{"keystrokes": "ls\n"}]', LS),
        ('```json\n[{"keystrokes": "ls\\n"}]', LS),
        ('[{"keystrokes": "ls\\n", "duration": 1e9}]', [{"keystrokes": "ls\n", "duration": MAX_WAIT_S}]),
        ('[{"keystrokes": "ls\\n", "duration": -1}]', LS),
        ("All done.\n```json\n[]\n```", []),
        ('xs = [] is empty, so [{"keystrokes": "ls\\n"}]', LS),
        ("I would run ls.", None),
        ("", None),
        ('[{"keys": "ls"}]', None),
        ('[{"keystrokes": 3}]', None),
        ('[{"keystrokes": "ls', None),
        ("[" * 5000, None),
    ],
)
def test_the_first_fitting_array_is_the_action(text: str, keys: Any) -> None:
    assert find_keys(text) == keys


@pytest.mark.parametrize(
    ("message", "said", "thought"),
    [
        ({"content": "<think>hm [] </think>yes"}, "yes", "hm []"),
        ({"content": "hm</think>yes"}, "yes", "hm"),
        ({"content": "<think>never ends"}, "", "never ends"),
        ({"content": "yes", "reasoning_content": "hm"}, "yes", "hm"),
        ({"content": "<thinking>a</thinking>yes", "reasoning": "b"}, "yes", "b\na"),
        ({"content": [{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}]}, "yes", None),
        ({"content": None}, "", None),
        ({}, "", None),
    ],
)
def test_reasoning_is_set_apart(message: dict[str, Any], said: str, thought: str | None) -> None:
    reply = read_reply(message)
    assert (reply.text, reply.reasoning) == (said, thought)


def test_an_array_in_the_reasoning_is_no_action() -> None:
    assert read_reply({"content": f"<think>{FENCED}</think>I am not sure."}).keys is None


@given(st.lists(st.text(), min_size=1), st.text(alphabet=st.characters(exclude_characters="[{`")))
def test_any_keys_survive_any_words_around(keys: list[str], words: str) -> None:
    array = [{"keystrokes": text} for text in keys]
    assert find_keys(f"{words}\n```json\n{json.dumps(array)}\n```\n{words}") == array
