"""The explorer of Android screens, on captures written by hand and on the apps that Worldtape brings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.collectors.android._needs import needs_appium, needs_phone_page
from tests.collectors.policies._screens import FORM, MENU, Shown, capture
from worldtape.collectors.android import Android, AndroidConfig, close_servers
from worldtape.collectors.android.actions import read_move
from worldtape.collectors.policies import POLICIES
from worldtape.collectors.policies.explore_ui import ExploreUi
from worldtape.collectors.policies.explore_ui.memory import Memory
from worldtape.collectors.policies.explore_ui.values import kind_of, tables, value
from worldtape.collectors.policies.explore_ui.view import View
from worldtape.collectors.policies.explore_ui.wrong import wrong_step
from worldtape.collectors.recorder import Recorder
from worldtape.collectors.tasks import load_suite
from worldtape.errors import ConfigError, InputError, WorldtapeError
from worldtape.schemas import Action, Status
from worldtape.testing import ListTape


def play(tree: Any, policy: ExploreUi, steps: int, status: Status = Status.OK) -> list[Action]:
    shown = Shown(tree)

    async def run() -> list[Action]:
        done: list[Action] = []
        while len(done) < steps and (action := await policy.next(shown.history)) is not None:
            done.append(action)
            shown.answer(action, status)
        return done

    return asyncio.run(run())


def test_the_same_seed_acts_the_same() -> None:
    texts = [[one.text for one in play(MENU, ExploreUi(seed), 20)] for seed in (3, 3, 4)]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_pressed_twice_in_the_same_state(seed: int) -> None:
    done = play(MENU, ExploreUi(seed, failing=0), 30)
    pressed = [one.target.name for one in done if one.name == "click" and one.target is not None]
    assert len(pressed) == len(set(pressed))
    assert "Off" not in pressed
    assert {one.name for one in done} & {"back", "home", "open_app"}


@pytest.mark.parametrize("seed", range(8))
def test_a_form_is_filled_by_what_its_fields_ask_for(seed: int) -> None:
    done = play(FORM, ExploreUi(seed, failing=0, by_point=0, by_selector=0), 12)
    typed = [json.loads(one.text) for one in done if one.name == "input_text"]
    assert typed
    known = tables()["valid"], tables()["invalid"]
    for one in typed:
        kind = {1: "person", 3: "email"}[one["index"]]
        assert one["text"] in {*known[0][kind], *known[1][kind]}
        assert one.get("clear_text", False) == (kind == "email")


def test_dialogs_of_the_driver_are_answered() -> None:
    tree = capture(alert={"text": "Sure?", "type": "confirm"})
    done = play(tree, ExploreUi(1, failing=0), 2)
    assert {one.target.name for one in done if one.target} == {"Cancel", "OK"}


def test_labels_come_from_what_is_inside_and_captions_from_what_stands_before() -> None:
    menu, form = View.of(MENU), View.of(FORM)
    row = next(one for one in menu.all if one.short == "LinearLayout")
    assert menu.label(row) == "Ada 030 555"
    assert menu.find(row.cls, "Ada 030 555") == row
    assert [kind_of(form.caption(one)) for one in form.fields] == ["person", "email"]
    assert form.find("android.widget.EditText", "E-mail mail") == form.fields[1]


def test_a_state_is_known_again_and_another_is_another() -> None:
    assert View.of(FORM).key == View.of(dict(FORM)).key
    assert View.of(FORM).key != View.of(FORM | {"state": {"app": "Other"}}).key
    assert View.of(FORM).key != View.of(FORM | {"source": FORM["source"].replace("old", "new")}).key


@pytest.mark.parametrize("tree", [MENU, FORM, capture(), capture(alert={"text": "x"})])
def test_wrong_steps_are_wrong(tree: dict[str, Any]) -> None:
    view, rng = View.of(tree), Random(5)
    verbs = set()
    for _ in range(200):
        step = wrong_step(view, rng)
        verbs.add(step.verb)
        if step.verb == "raw":
            with pytest.raises(InputError):
                read_move(step.given)
        elif "index" in step.given:
            assert view.screen.element(step.given["index"]) is None
    assert {"raw", "click", "open_app"} <= verbs


def test_about_the_wished_share_is_meant_to_fail() -> None:
    texts = [one for seed in range(20) for one in play(FORM, ExploreUi(seed, failing=0.3), 20)]
    assert 0.1 < sum(one.name is None for one in texts) / len(texts) < 0.5


def test_every_kind_of_field_has_values() -> None:
    memory, rng = Memory(), Random(1)
    for row in tables()["kinds"]:
        for wrong in (False, True):
            assert isinstance(value(str(row["kind"]).replace("_", " "), memory, rng, wrong=wrong), str)
        assert row["kind"] in {*tables()["valid"], "search"}


def test_it_ends_when_it_should() -> None:
    assert len(play(MENU, ExploreUi(1, steps=3), 9)) == 3
    assert POLICIES["explore-ui"].from_config({"seed": 4}).spec.seed == 4
    with pytest.raises(ConfigError, match="failing"):
        ExploreUi(0, failing=2)
    with pytest.raises(InputError, match="record with `android`"):
        asyncio.run(ExploreUi().next(Shown(None).history))


@pytest.fixture(scope="module")
def explored() -> Iterator[dict[str, Any]]:
    needs_phone_page()
    needs_appium()
    chosen = {"contacts/settings": 2, "larder/clear-done": 5, "survey/answer": 3}

    async def one(task: str, seed: int) -> Any:
        (found,) = load_suite("android-core").choose(tasks=[task])
        config = found.begun(AndroidConfig(screenshot=False, html=False))
        async with Recorder(Android(config), ListTape()) as recorder:
            await recorder.run(ExploreUi(seed), max_steps=14)
            return recorder.history.turns

    async def everything() -> list[Any]:
        return await asyncio.gather(*(one(*each) for each in chosen.items()), return_exceptions=True)

    yield dict(zip(chosen, asyncio.run(everything()), strict=True))
    close_servers()


@pytest.mark.android
@pytest.mark.slow
@pytest.mark.parametrize("task", ["contacts/settings", "larder/clear-done", "survey/answer"])
def test_real_screens_change_and_some_actions_fail(explored: dict[str, Any], task: str) -> None:
    turns = explored[task]
    if isinstance(turns, WorldtapeError):
        raise turns
    assert len(turns) == 14
    states = [result.state_after for _, result in turns]
    assert sum(bool(state["changed"]) for state in states) >= 8
    assert len({action.target.name for action, _ in turns if action.target}) >= 5
    assert {result.outcome.status for _, result in turns} <= {Status.OK, Status.TOOL_ERROR, Status.REJECTED}
