"""Steps of a solution find their elements on the screen as it is."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.collectors.policies._screens import FORM, MENU, Shown
from worldtape.collectors.policies.ui_script import UiScript
from worldtape.errors import ConfigError, InputError


def acted(tree: dict[str, Any], step: Any) -> dict[str, Any]:
    action = asyncio.run(UiScript([step]).next(Shown(tree).history))
    assert action is not None
    found: dict[str, Any] = json.loads(action.text)
    assert (action.target is not None) == ("index" in found)
    return found


@pytest.mark.parametrize(
    ("tree", "step", "action"),
    [
        (MENU, {"click": {"Button": "Item 2"}}, {"action_type": "click", "index": 2}),
        (MENU, {"long_press": {"LinearLayout": "Ada 030 555"}}, {"action_type": "long_press", "index": 4}),
        (FORM, {"click": {"EditText": "mail"}}, {"action_type": "click", "index": 3}),
        (
            FORM,
            {"input_text": {"EditText": "Your name"}, "text": "Ada"},
            {"action_type": "input_text", "index": 1, "text": "Ada"},
        ),
        (FORM, {"open_app": "Clock"}, {"action_type": "open_app", "app_name": "Clock"}),
        (FORM, {"scroll": "down"}, {"action_type": "scroll", "direction": "down"}),
        (FORM, {"wait": 0.5}, {"action_type": "wait", "seconds": 0.5}),
        (FORM, {"back": None}, {"action_type": "back"}),
    ],
)
def test_steps_become_actions(tree: dict[str, Any], step: dict[str, Any], action: dict[str, Any]) -> None:
    assert acted(tree, step) == action


def test_json_is_passed_on_and_the_end_is_the_end() -> None:
    script, shown = UiScript(['{"action_type": "tap"}']), Shown(MENU)
    action = asyncio.run(script.next(shown.history))
    assert action is not None
    assert (action.text, action.name) == ('{"action_type": "tap"}', None)
    shown.answer(action)
    assert asyncio.run(script.next(shown.history)) is None


def test_what_is_not_there_is_said_with_what_is() -> None:
    with pytest.raises(InputError, match=r"step 1: the screen has no Button 'Send'.*of this class: Item 0, Item 1"):
        acted(MENU, {"click": {"Button": "Send"}})
    with pytest.raises(InputError, match="no Button 'Item 1'"):
        acted(MENU, {"click": {"Button": "Item 1"}, "nth": 1})


@pytest.mark.parametrize("step", [{}, {"tap": {"Button": "x"}}, {"click": "Save"}, {"open_app": ["a"]}])
def test_what_is_no_step_is_refused(step: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="is no step on a device"):
        UiScript([step])
