"""A device of Appium's fake driver: every kind of action, and how it ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.collectors.android._play import Played, play, rendered_again
from worldtape.collectors.android import Android, AndroidConfig
from worldtape.collectors.android.server import server
from worldtape.collectors.policies import Script
from worldtape.collectors.recorder import Recorder
from worldtape.errors import ComponentError, InputError
from worldtape.schemas import EndStatus, SettledBy, Status
from worldtape.testing import ListTape

pytestmark = [pytest.mark.android, pytest.mark.usefixtures("appium")]

NAME = {"action_type": "input_text", "selector": "id=name", "text": "Ana"}
WAIT = '{"action_type": "wait", "seconds": 60}'
SEND = {"action_type": "click", "selector": "id=send"}


@pytest.fixture(scope="module")
def played(appium: None) -> Played:
    """Actions that are done, and actions that are not."""
    actions: list[Any] = [
        NAME,
        {"action_type": "input_text", "text": " Maria"},
        SEND,
        {"action_type": "click", "selector": "id=name"},
        {"action_type": "click", "selector": "xpath=//MockButton[@id='later']"},
        {"action_type": "click", "selector": "text=OK"},
        {"action_type": "click", "index": 99},
        {"action_type": "click", "selector": "xpath=//Nothing"},
        {"action_type": "input_text", "selector": "id=black", "text": "no field"},
        {"action_type": "back"},
        {"action_type": "click"},
        {"action_type": "open_app", "app_name": "Mail"},
        {"action_type": "scroll", "direction": "down"},
        {"action_type": "wait", "seconds": 0},
    ]
    return play(AndroidConfig(driver="fake", app="survey"), actions)


def test_what_was_typed_stands_in_the_next_observation(played: Played) -> None:
    assert 'text="Ana" hint="First name"' in played.results[0].observation.text
    assert 'text="Ana Maria" hint="First name"' in played.results[1].observation.text
    sources = {screen.capture["source"] for screen in played.screens}
    assert len(sources) == 1, "the source of the fake driver never changes: its elements were asked"


def test_a_dialog_is_shown_and_holds_everything_up(played: Played) -> None:
    assert played.state(2)["dialog"] == "Thank you! Send the answers now?"
    assert played.results[2].observation.text.splitlines()[-1] == (
        '[ 2] | android.widget.Button | text="OK" res="android:id/button1" | clickable'
    )
    assert played.results[3].outcome.status is Status.TOOL_ERROR
    assert played.results[4].outcome.error is not None
    assert played.results[4].outcome.error.type == "dialog_open"
    assert played.results[4].outcome.error.message == "A modal dialog was open, blocking this operation"
    assert played.state(5)["dialog"] is None
    assert "clicks=1" in played.results[5].observation.text


@pytest.mark.parametrize(
    ("step", "status", "kind", "said"),
    [
        (6, Status.TOOL_ERROR, "unknown_element", "no element 99: there are 0 to "),
        (7, Status.TOOL_ERROR, "no_such_element", "An element could not be located on the page"),
        (8, Status.TOOL_ERROR, "invalid_state", "An element command could not be completed"),
        (9, Status.TOOL_ERROR, "not_supported", "Method has not yet been implemented"),
        (10, Status.REJECTED, "invalid_action", "click: index, x and y, or selector is missing"),
        (11, Status.TOOL_ERROR, "unknown_app", "there is no app 'Mail'"),
    ],
)
def test_what_cannot_be_done_is_an_outcome_in_the_words_of_the_driver(
    played: Played, step: int, status: Status, kind: str, said: str
) -> None:
    result = played.results[step]
    assert result.outcome.status is status
    assert result.outcome.error is not None
    assert result.outcome.error.type == kind
    assert (result.outcome.error.message or "").startswith(said)
    assert result.observation.text.startswith(f"Error from previous action: {said}")


def test_the_state_says_what_changed_and_how_it_was_looked_at(played: Played) -> None:
    assert played.initial["changed"] is None
    assert [played.state(step)["changed"] for step in range(6)] == [True, True, True, False, False, True]
    assert not played.state(12)["changed"], "the driver takes the touch, and nothing scrolls"
    assert {result.observation.settled_by for result in played.results} == {SettledBy.REST}
    state = played.state()
    assert state["fresh"]
    assert state["app"] == "survey"
    assert state["orientation"] == "PORTRAIT"
    assert state["capture"]["order"] == ["hierarchy", "hierarchy", "state", "screenshot"]
    assert state["capture"]["gap_ms"] >= 0
    assert {part.channel for part in played.last.observation.parts} == {"hierarchy", "screenshot"}


def test_the_tape_gives_every_observation_once_more(played: Played) -> None:
    assert rendered_again(played.tape) == [True] * 15


def test_apps_stay_as_they_were_left() -> None:
    actions = [
        NAME,
        {"action_type": "open_app", "app_name": "Thermostat"},
        {"action_type": "click", "selector": "id=boost"},
        {"action_type": "home"},
        {"action_type": "click", "x": 200, "y": 160},
    ]
    found = play(AndroidConfig(driver="fake", app="survey", screenshot=False), actions)
    assert [found.state(step)["app"] for step in range(4)] == ["survey", "thermostat", "thermostat", "survey"]
    assert 'text="Ana"' in found.results[3].observation.text
    assert found.results[4].outcome.status is Status.OK
    assert all(part.channel == "hierarchy" for part in found.last.observation.parts)


def test_an_action_by_index_keeps_its_target() -> None:
    device = Android(AndroidConfig(driver="fake", screenshot=False))

    async def aimed() -> Any:
        async with device:
            await device.reset(ListTape())
            return device.parse('{"action_type": "click", "index": 3}')

    action = asyncio.run(aimed())
    assert action.target.role == "MockInputField"
    assert action.target.box == (16.0, 136.0, 380.0, 48.0)
    assert device.parse({"action_type": "status", "goal_status": "complete"}) is None


def test_no_wait_is_longer_than_the_recording() -> None:
    device = Android(AndroidConfig(driver="fake", screenshot=False))

    async def run() -> tuple[Any, Any]:
        async with Recorder(device, ListTape()) as recorder:
            end = await recorder.run(Script([{"kind": "ui_action", "text": WAIT}]), max_seconds=0.2)
        return end, recorder.last

    end, last = asyncio.run(run())
    assert end.status is EndStatus.LIMIT
    assert last.outcome.status is Status.TIMEOUT_STILL_RUNNING
    assert "First name" in last.observation.text


def test_who_gives_up_does_not_wait() -> None:
    async def run() -> ListTape:
        tape = ListTape()
        async with Recorder(Android(AndroidConfig(driver="fake", screenshot=False)), tape) as recorder:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(recorder.step(WAIT), 0.2)
        return tape

    tape = asyncio.run(run())
    assert tape.events[-1].kind == "end"
    assert [event.kind for event in tape.events].count("captured") == 1


def test_a_server_that_runs_already_is_used_and_left_alone() -> None:
    url = server("fake").url
    found = play(AndroidConfig(driver="fake", server_url=url, renderer="android.phone"), [SEND])
    assert found.first.text.startswith("**Current Phone State:**")
    assert server("fake").url == url


def test_what_cannot_start_says_why() -> None:
    with pytest.raises(InputError, match=r"there is no app 'lost'; known: survey, thermostat, or the path"):
        play(AndroidConfig(driver="fake", app="lost"), [])
    with pytest.raises(ComponentError) as caught:
        play(AndroidConfig(driver="fake", server_url="http://me:hidden@127.0.0.1:9"), [])
    assert "hidden" not in str(caught.value)
    with pytest.raises(ComponentError, match=r"http://127\.0\.0\.1:9: there is no session: the Appium server is gone"):
        play(AndroidConfig(driver="fake", server_url="http://127.0.0.1:9"), [])
    with pytest.raises(ComponentError, match=r"there is no session: .*platformName"):
        play(AndroidConfig(driver="fake", capabilities={"platformName": "iOS"}), [])


def test_secrets_of_device_farms_stay_off_tapes() -> None:
    asked = {"farm:options": {"accessKey": "x", "userName": "y", "tests": [{"token": "z"}], "build": "7"}, "udid": "u"}
    spec = AndroidConfig(driver="fake", capabilities=asked, server_url="http://me:x@hub").spec()
    masked = {"accessKey": "***", "userName": "***", "tests": [{"token": "***"}], "build": "7"}
    assert spec.parameters["capabilities"] == {"farm:options": masked, "udid": "u"}
    assert "hub" not in str(spec)
