"""Actions of a device: what is read, what is refused, and how they are told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from worldtape.collectors.android.actions import MOVES, Aimed, ends, read_move, tools, ui_action
from worldtape.errors import InputError


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"action_type": "click", "index": 3}, '{"action_type":"click","index":3}'),
        ('{"index": 3, "action_type": "click"}', '{"action_type":"click","index":3}'),
        ({"action_type": "click", "x": 10, "y": 20.5}, '{"action_type":"click","x":10.0,"y":20.5}'),
        ({"action_type": "navigate_back"}, '{"action_type":"back"}'),
        ({"action_type": "keyboard_enter"}, '{"action_type":"enter"}'),
        (
            {"action_type": "input_text", "text": "é\n", "index": 0},
            '{"action_type":"input_text","index":0,"text":"é\\n"}',
        ),
        (
            {"action_type": "swipe", "start": [1, 2], "end": [3, 4]},
            '{"action_type":"swipe","end":[3.0,4.0],"start":[1.0,2.0]}',
        ),
    ],
)
def test_an_action_is_told_as_canonical_json(given: Any, text: str) -> None:
    action = ui_action(given)
    assert action.kind == "ui_action"
    assert action.text == text
    assert action.raw == (given if isinstance(given, str) and given != text else None)
    told = json.loads(text)
    assert action.name == told.pop("action_type")
    assert json.loads(action.arguments or "") == told


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("click 3", "'click 3' is no JSON"),
        ("[1]", "'[1]' is no JSON object"),
        ({"index": 3}, "None is no action"),
        ({"action_type": "fly"}, "'fly' is no action"),
        ({"action_type": "click"}, "click: index, x and y, or selector is missing"),
        ({"action_type": "click", "x": 1}, "click: x and y go together"),
        ({"action_type": "click", "index": 1, "selector": "text=a"}, "click: index, coordinates and selector exclude"),
        ({"action_type": "click", "index": -1}, "click: index: input should be greater than or equal to 0"),
        ({"action_type": "click", "index": 1, "speed": 2}, "click: speed: extra inputs are not permitted"),
        ({"action_type": "input_text", "index": 1}, "input_text: text: field required"),
        ({"action_type": "scroll", "direction": "sideways"}, "scroll: direction: input should be 'up', 'down'"),
        ({"action_type": "swipe"}, "swipe: give either direction, or start and end"),
        ({"action_type": "wait", "seconds": 1e9}, "wait: seconds: input should be less than"),
    ],
)
def test_what_is_no_action_is_refused_with_its_reason(given: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_move(given)
    assert caught.value.what.startswith(said)
    action = ui_action(given)
    assert action.name is None
    assert action.text == (
        given if isinstance(given, str) else json.dumps(given, separators=(",", ":"), sort_keys=True)
    )


def test_an_aim_is_counted() -> None:
    _, none = read_move({"action_type": "scroll", "direction": "up"})
    _, one = read_move({"action_type": "scroll", "direction": "up", "x": 1, "y": 2})
    assert isinstance(none, Aimed)
    assert isinstance(one, Aimed)
    assert (none.aims, one.aims) == (0, 1)


def test_the_task_is_over_where_androidworld_says_so() -> None:
    assert ends({"action_type": "status", "goal_status": "complete"})
    assert ends('{"action_type": "status"}')
    assert not ends({"action_type": "click", "index": 1})
    assert not ends("status")


def test_every_action_is_a_tool_with_a_schema() -> None:
    found = {tool.name: json.loads(tool.input_schema or "{}") for tool in tools()}
    assert found.keys() == MOVES.keys()
    assert found["input_text"]["required"] == ["text"]
    assert found["click"]["properties"]["index"]["description"].startswith("Of the element")
