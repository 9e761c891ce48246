"""Policies whose actions are given: script, replay, human."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.collectors.policies._history import history
from worldtape.collectors.policies import POLICIES, Human, Replay, Script
from worldtape.collectors.terminal.actions import keystrokes
from worldtape.errors import ConfigError, InputError, NotFoundError, StorageError
from worldtape.schemas import Action, Policy

pytestmark = pytest.mark.anyio


async def texts(policy: Policy) -> list[str]:
    seen, _ = history()
    found = []
    while (action := await policy.next(seen)) is not None:
        found.append(action.text)
    return found


def array(*keys: str) -> str:
    return json.dumps([{"keystrokes": key} for key in keys])


async def test_a_script_takes_every_form_of_an_action() -> None:
    action = keystrokes(["x"])
    assert action is not None
    steps: list[Any] = [
        "ls",
        [{"keystrokes": "pwd\n", "duration": 0.5}],
        {"keystrokes": "C-c"},
        '[{"keystrokes": "a"}]',
        "[ -f x ] && echo yes",
        action,
        {"kind": "resize", "text": "{}"},
    ]
    assert await texts(Script(steps)) == [
        array("ls\n"),
        json.dumps([{"keystrokes": "pwd\n", "duration": 0.5}]),
        array("C-c"),
        array("a"),
        array("[ -f x ] && echo yes\n"),
        array("x"),
        "{}",
    ]


async def test_an_empty_array_ends_a_script_early() -> None:
    assert await texts(Script(["ls", [], "pwd"])) == [array("ls\n")]


@pytest.mark.parametrize(
    "text",
    ["- ls\n- [{keystrokes: C-c}]\n", 'actions: [ls, [{"keystrokes": "C-c"}]]', '["ls", [{"keystrokes": "C-c"}]]'],
)
async def test_a_script_is_read_from_yaml_and_json(tmp_path: Path, text: str) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(text)
    assert await texts(POLICIES["script"].from_config({"file": str(path)})) == [array("ls\n"), array("C-c")]


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({}, "either actions or file"),
        ({"actions": [], "file": "x"}, "either actions or file"),
        ({"actions": [3]}, "actions.0"),
        ({"action": []}, "action"),
    ],
)
def test_a_wrong_script_is_named(settings: dict[str, Any], error: str) -> None:
    with pytest.raises(ConfigError, match=error):
        Script.from_config(settings)


def test_a_wrong_script_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="none"):
        Script.from_config({"file": tmp_path / "none.yaml"})
    path = tmp_path / "script.yaml"
    path.write_text("a: [")
    with pytest.raises(ConfigError, match=r"script\.yaml"):
        Script.from_config({"file": path})
    path.write_text("ls")
    with pytest.raises(ConfigError, match="no list of actions"):
        Script.from_config({"file": path})
    with pytest.raises(InputError, match="duration"):
        Script([[{"keystrokes": "x", "duration": -1}]])


async def test_a_replay_repeats_actions_verbatim() -> None:
    action = Action(kind="keystrokes", text='[{"keystrokes":"a"}]', raw="odd", wait_s=0.5, actor="human")
    seen, _ = history()
    replay = Replay([action.to_dict()], parent="t-1")
    assert await replay.next(seen) == action
    assert await replay.next(seen) is None
    assert replay.spec.parameters == {"actions": 1, "parent": "t-1"}
    assert await texts(Replay.from_config({"actions": [action.to_dict()]})) == [action.text]
    with pytest.raises(ConfigError, match="kind"):
        Replay([{"text": "x"}])


async def test_a_person_types_lines() -> None:
    shown: list[str] = []
    seen, _ = history()
    person = Human(io.StringIO('ls -l\n[{"keystrokes": "C-c"}]\n'), show=shown.append)
    first, second, end = [await person.next(seen) for _ in range(3)]
    assert first is not None
    assert second is not None
    assert (first.text, second.text, end) == (array("ls -l\n"), array("C-c"), None)
    assert first.actor == "human"
    assert shown == ["$ "] * 3
    assert Human.from_config({}).spec.kind == "human"
    with pytest.raises(ConfigError):
        Human.from_config({"name": "me"})


def test_every_policy_has_settings_with_a_schema_and_is_found_by_name() -> None:
    explorers = [f"explore-{what}" for what in ("desktop", "repo", "tools", "ui", "web")]
    assert list(POLICIES) == ["explore", *explorers, "human", "llm", "replay", "script"]
    for policy in POLICIES.values():
        schema = policy.Config.model_json_schema()
        assert schema["additionalProperties"] is False
        assert all(
            "description" in value
            for name, value in schema["properties"].items()
            if name not in {"seed", "model", "timeout_s"}
        )
    with pytest.raises(NotFoundError, match="explore"):
        POLICIES["explor"]
