"""A phone-sized page in Chromium: real touches, dialogs, and the proof that a dump is fresh."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event
from typing import Any
from urllib.parse import quote

import pytest

from tests.collectors.android._play import Played, play, rendered_again
from tests.collectors.web._server import Answer, serve
from worldtape.collectors.android import AndroidConfig
from worldtape.collectors.android.server import free_port
from worldtape.schemas import SettledBy, Status, StepResult

pytestmark = [pytest.mark.android, pytest.mark.usefixtures("phone_page")]

DIALOGS = """<title>Ask</title><button onclick="said.value = confirm('Sure?')">Confirm</button>
<button onclick="said.value = prompt('Who?', 'Ana')">Prompt</button><button onclick="alert('Done')">Alert</button>
<input id="said" aria-label="Said">"""
MOVING = "<title>Moving</title><p id=n>0</p><script>setInterval(() => n.textContent++, 5)</script>"
LATE = (
    "<title>Late</title><button onclick=\"setTimeout(() => p.textContent = 'late', 200)\">Go</button><p id=p>early</p>"
)
LONG = "<title>Long</title>" + "".join(f"<p style='height:60px'>line {number}</p>" for number in range(60))
HELD = """<title>Held</title><button style="height: 80px" onpointerdown="began = Date.now()"
 onpointerup="textContent = Date.now() - began > 700 ? 'held' : 'tapped'">press</button>"""


def page(html: str) -> str:
    return "data:text/html;charset=utf-8," + quote('<meta name="viewport" content="width=device-width">' + html)


def click(selector: str) -> dict[str, Any]:
    return {"action_type": "click", "selector": selector}


@pytest.fixture(scope="module")
def contacts(phone_page: None) -> Played:
    """Our own app, from its icon on."""
    actions: list[Any] = [
        click("text=Contacts"),
        click("id=menu"),
        {"action_type": "back"},
        click("xpath=//button[@id='add']"),
        {"action_type": "input_text", "selector": "id=name", "text": "Zoë 😀"},
        {"action_type": "input_text", "selector": "id=name", "text": "Ana", "clear_text": True},
        click("xpath=//nothing"),
        {"action_type": "open_app", "app_name": "larder"},
        {"action_type": "home"},
    ]
    return play(AndroidConfig(seed=3), actions)


def test_an_app_is_used_by_touch(contacts: Played) -> None:
    said = [result.observation.text for result in contacts.results]
    assert contacts.state(0)["app"] == "Contacts"
    assert "android.app.Dialog" in said[1]
    assert "android.app.Dialog" not in said[2], "back closes the dialog of a page"
    typed = [[one.text for one in contacts.screens[step].elements if one.res == "name"] for step in (5, 6)]
    assert typed == [["Zoë 😀"], ["Ana"]]
    assert contacts.state(4)["focus"] == "Name"
    assert contacts.results[6].outcome.status is Status.TOOL_ERROR
    assert contacts.results[6].outcome.error is not None
    assert contacts.results[6].outcome.error.type == "no_such_element"
    assert contacts.state(7)["app"] == "Larder"
    assert said[8] == contacts.first.text
    assert [contacts.state(step)["changed"] for step in range(9)] == [True] * 6 + [False, True, True]


def test_screen_page_and_picture_are_kept(contacts: Played) -> None:
    parts = {part.channel: part for part in contacts.last.observation.parts}
    assert parts.keys() == {"hierarchy", "html", "screenshot"}
    assert contacts.state()["capture"]["order"] == ["hierarchy", "hierarchy", "screenshot", "html"]
    assert contacts.screens[0].hierarchy.nodes[0].tag == "hierarchy"
    assert rendered_again(contacts.tape) == [True] * 10
    pictures = [event.payload for event in contacts.tape.events if event.data.get("channel") == "screenshot"]
    assert all(picture is not None and picture.startswith(b"\x89PNG") for picture in pictures)


OPEN = {"action_type": "open_app"}
DOWN = {"action_type": "scroll", "direction": "down"}
STEPS: dict[str, dict[str, Any]] = {
    "confirm": click("text=Confirm"),
    "behind": click("xpath=//input"),
    "cancel": click("text=Cancel"),
    "prompt": click("text=Prompt"),
    "type": {"action_type": "input_text", "selector": "class=android.widget.EditText", "text": "Bo"},
    "accept": {"action_type": "enter"},
    "alert": click("text=Alert"),
    "dismiss": {"action_type": "back"},
    "late": OPEN | {"app_name": "late"},
    "go": click("text=Go"),
    "long": OPEN | {"app_name": "long"},
    "scroll": DOWN,
    "swipe": {"action_type": "swipe", "start": [200, 300], "end": [200, 700]},
    "swipe up": {"action_type": "swipe", "direction": "up"},
    "held": OPEN | {"app_name": "held"},
    "hold": {"action_type": "long_press", "selector": "text=press"},
    "moving": OPEN | {"app_name": "moving"},
    "refused": OPEN | {"app_name": "refused"},
    "unsafe": OPEN | {"app_name": "unsafe"},
    "missing": OPEN | {"app_name": "missing"},
    "never": OPEN | {"app_name": "never"},
}
"""Name to action."""


@dataclass(frozen=True)
class Steps:
    """What came of them, by their names."""

    played: Played

    def __getitem__(self, name: str) -> StepResult:
        return self.played.results[list(STEPS).index(name)]

    def state(self, name: str) -> dict[str, Any]:
        return self.played.state(list(STEPS).index(name))

    def alert(self, name: str) -> dict[str, Any]:
        return self.played.screens[list(STEPS).index(name) + 1].alert


@pytest.fixture(scope="module")
def steps(phone_page: None) -> Iterator[Steps]:
    """One trajectory over pages that each do one thing."""
    never = Event()
    with serve() as pages:
        pages.answers["/never"] = Answer("never", hold=never)
        apps = {"late": page(LATE), "long": page(LONG), "held": page(HELD), "moving": page(MOVING)}
        apps |= {"refused": f"http://127.0.0.1:{free_port()}/", "unsafe": "http://127.0.0.1:9/"}
        apps |= {"missing": f"{pages.url}/missing", "never": f"{pages.url}/never"}
        config = AndroidConfig(app=page(DIALOGS), apps=apps, patience_s=1, timeout_s=5, screenshot=False, html=False)
        try:
            yield Steps(play(config, list(STEPS.values())))
        finally:
            never.set()


def test_dialogs_of_the_browser_are_screens(steps: Steps) -> None:
    said = {name: steps.state(name)["dialog"] for name in ("confirm", "behind", "cancel", "prompt", "alert", "dismiss")}
    assert list(said.values()) == ["Sure?", "Sure?", None, "Who?", "Done", None]
    assert [steps.alert(name).get("type") for name in ("confirm", "prompt", "alert")] == ["confirm", "prompt", "alert"]
    assert steps["behind"].outcome.error is not None
    assert steps["behind"].outcome.error.type == "dialog_open"
    assert 'text="false"' in steps["cancel"].observation.text
    assert 'text="Bo"' in steps["accept"].observation.text


def test_a_page_that_never_rests_is_flagged(steps: Steps) -> None:
    assert steps["moving"].observation.settled_by is SettledBy.DEADLINE
    assert not steps.state("moving")["fresh"]
    assert steps.state("moving")["flags"] == ["stale"]


def test_what_a_timer_does_is_waited_for(steps: Steps) -> None:
    assert 'text="late"' in steps["go"].observation.text
    assert steps["go"].observation.settled_by is SettledBy.REST


def test_fingers_scroll_and_hold(steps: Steps) -> None:
    tops = [steps.state(name)["scroll"][1] for name in ("long", "scroll", "swipe", "swipe up")]
    assert tops[0] == 0
    assert tops[1] > 300
    assert tops[2] < tops[1]
    assert tops[3] > tops[2]
    assert 'text="held"' in steps["hold"].observation.text


@pytest.mark.parametrize(
    ("name", "status", "kind"),
    [
        ("refused", Status.ENV_ERROR, "net::ERR_CONNECTION_REFUSED"),
        ("unsafe", Status.ENV_ERROR, "net::ERR_UNSAFE_PORT"),
        ("missing", Status.TOOL_ERROR, "http_error"),
        ("never", Status.TIMEOUT_STILL_RUNNING, "timeout"),
    ],
)
def test_pages_that_do_not_come(steps: Steps, name: str, status: Status, kind: str) -> None:
    outcome = steps[name].outcome
    assert (outcome.status, outcome.error and outcome.error.type) == (status, kind)
    assert steps[name].observation.text.startswith("Error from previous action: ")


def test_the_tape_gives_every_observation_once_more(steps: Steps) -> None:
    assert rendered_again(steps.played.tape) == [True] * (len(STEPS) + 1)
