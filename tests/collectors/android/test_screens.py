"""Elements and the three renderers, over real dumps and those of the other drivers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldtape.collectors.android.apps import FAKE_APPS, fake_app
from worldtape.collectors.android.capture import line
from worldtape.collectors.android.screen import Screen
from worldtape.collectors.renderers import RENDERERS
from worldtape.errors import NotFoundError

NAMES = ("android.elements", "android.phone", "android.tree")
LAUNCHER = {
    "size": [1080, 1794],
    "state": {"package": "com.google.android.apps.nexuslauncher", "app": "Pixel Launcher", "keyboard": False},
}
FORM = {
    "size": [412, 915],
    "state": {"package": "org.example.notes", "app": "Notes", "activity": ".Edit", "keyboard": True},
    "source": """<?xml version="1.0" encoding="UTF-8"?><hierarchy rotation="0">
<android.widget.FrameLayout class="android.widget.FrameLayout" bounds="[0,0][412,915]">
<android.widget.EditText class="android.widget.EditText" text="two&#10;&quot;lines&quot;" hint="Note" \
resource-id="org.example.notes:id/body" bounds="[0,56][412,400]" clickable="true" focused="true" />
<android.widget.Button class="android.widget.Button" text="Save" bounds="[300,0][412,48]" clickable="true" \
enabled="false"/>
<android.view.View class="android.view.View" bounds="[0,950][412,990]" text="below"/>
<android.view.View class="android.view.View" bounds="[10,10][10,40]" text="no width"/>
<android.view.View class="android.view.View" bounds="[0,0][9,9]" text="hidden" displayed="false"/>
</android.widget.FrameLayout></hierarchy>""",
}


def rendered(name: str, *captures: dict[str, Any]) -> str:
    renderer = RENDERERS[name]()
    for capture in captures:
        renderer.feed("hierarchy", line(capture))
    return str(renderer.render())


def test_elements_are_what_shows() -> None:
    screen = Screen.of(FORM)
    body, save = screen.elements
    assert (body.index, body.short, body.text, body.hint) == (0, "EditText", 'two\n"lines"', "Note")
    assert body.flags == ("clickable", "editable", "focused")
    assert body.center == (206, 228)
    assert save.flags == ("clickable", "disabled")
    assert save.target().model_dump(exclude_none=True) == {
        "id": "1",
        "role": "android.widget.Button",
        "name": "Save",
        "box": (300.0, 0.0, 112.0, 48.0),
        "selector": "/hierarchy[1]/android.widget.FrameLayout[1]/android.widget.Button[1]",
    }
    assert screen.element(1) == save
    assert screen.element(2) is None
    assert screen.flags == ()


def test_three_tellings_of_one_screen() -> None:
    assert rendered("android.elements", FORM) == (
        '[ 0] | android.widget.EditText | text="two\\n\\"lines\\"" hint="Note" res="org.example.notes:id/body" | '
        "bounds=[0,56][412,400] | clickable, editable, focused\n"
        '[ 1] | android.widget.Button | text="Save" | bounds=[300,0][412,48] | clickable, disabled'
    )
    assert rendered("android.phone", FORM) == (
        "**Current Phone State:**\n• **App:** Notes (org.example.notes)\n• **Keyboard:** Visible\n"
        "• **Focused Element:** 'two \"lines\"'\n\n"
        "Current Clickable UI elements from the device in the schema "
        "'index. className: resourceId, text - bounds(x1,y1,x2,y2)':\n"
        '0. EditText: "org.example.notes:id/body", "two\\n\\"lines\\"" - (0,56,412,400)\n'
        '1. Button: "Save" - (300,0,412,48)'
    )
    assert rendered("android.tree", FORM) == (
        "Screen: org.example.notes Notes .Edit 412x915\nFrameLayout\n"
        '  [0] EditText "two\\n\\"lines\\"" hint="Note" id=body (0,56)-(412,400) clickable editable focused\n'
        '  [1] Button "Save" (300,0)-(412,48) clickable disabled'
    )


@pytest.mark.shared
def test_a_real_dump_renders_in_all_ways(shared_data: Path) -> None:
    source = (shared_data / "android" / "uiauto_uiautomator_dump_api27.xml").read_text("utf-8")
    capture = LAUNCHER | {"source": source}
    clock = "com.google.android.apps.nexuslauncher:id/clock"
    told = rendered("android.elements", capture).splitlines()
    assert len(told) == len(Screen.of(capture).elements) == 18
    assert told[2] == (
        f'[ 2] | android.widget.TextView | text="Sunday, May 19" desc="Sunday, May 19" res="{clock}" | '
        "bounds=[166,84][655,346] | clickable, long_clickable"
    )
    phone = rendered("android.phone", capture)
    assert phone.startswith(
        "**Current Phone State:**\n• **App:** Pixel Launcher (com.google.android.apps.nexuslauncher)"
    )
    assert f'\n2. TextView: "{clock}", "Sunday, May 19" - (166,84,655,346)\n' in phone
    tree = rendered("android.tree", capture)
    assert '\n        [12] TextView "Phone" (35,1479)-(237,1663) clickable long_clickable\n' in tree
    broken = capture | {"source": source[:5000]}
    assert Screen.of(broken).flags == ("cut_off",)
    assert rendered("android.elements", broken).splitlines()[:3] == told[:3]


@pytest.mark.parametrize("name", NAMES)
def test_an_error_stands_above_and_what_is_gone_is_said(name: str) -> None:
    failed = FORM | {"error": {"type": "no_such_element", "message": "no element 7: there are 0 to 1"}}
    head = "Error from previous action: no element 7: there are 0 to 1\n\n"
    assert rendered(name, failed) == head + rendered(name, FORM)
    gone = {"gone": "server", "error": {"type": "x", "message": "connection refused"}}
    assert rendered(name, FORM, gone) == (
        "Error from previous action: connection refused\n\nThe device does not answer: its server is gone."
    )
    assert rendered(name) == ""


@given(st.lists(st.integers(1, 900), max_size=8), st.sampled_from(NAMES))
def test_bytes_may_come_in_any_pieces(cuts: list[int], name: str) -> None:
    data = line(FORM) + line(FORM | {"error": {"message": "nothing"}})
    renderer = RENDERERS[name]()
    for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(data)], strict=True):
        renderer.feed("hierarchy", data[begin:end])
        renderer.feed("html", b"<p>\n")
    assert renderer.render() == rendered(name, FORM | {"error": {"message": "nothing"}})


@pytest.mark.parametrize("name", FAKE_APPS)
def test_the_fake_driver_is_told_with_what_its_elements_answer(name: str) -> None:
    source = (
        fake_app(name).read_text("utf-8").replace("<app ", "<AppiumAUT><app ").replace("</app>", "</app></AppiumAUT>")
    )
    bare = Screen.of({"source": source})
    assert not bare.flags
    assert all(path.startswith("/AppiumAUT[1]/app[1]/Mock") for path in bare.asked)
    assert len(bare.asked) >= len(bare.elements) > 14
    field = next(one for one in bare.elements if one.is_("editable"))
    button = next(one for one in bare.elements if one.short == "MockButton")
    full = Screen.of({"source": source, "overlay": {field.path: {"value": "21"}, button.path: {"clicks": "2"}}})
    assert full.elements[field.index].text == "21"
    assert full.elements[button.index].flags[-1] == "clicks=2"
    assert {one.res for one in bare.elements}.isdisjoint({"secret", "boost_alert"})


def test_a_dialog_of_the_driver_stands_alone() -> None:
    source = fake_app("survey").read_text("utf-8")
    shown = Screen.of({"source": source, "alert": {"text": "Enter the code of your voucher"}})
    assert [(one.short, one.text, one.alert) for one in shown.elements] == [
        ("TextView", "Enter the code of your voucher", None),
        ("EditText", "", "prompt"),
        ("Button", "Cancel", "dismiss"),
        ("Button", "OK", "accept"),
    ]
    plain = Screen.of({"alert": {"text": "Saved", "type": "alert"}})
    assert [one.text for one in plain.elements] == ["Saved", "OK"]
    assert "Dialog\n  [0] TextView" in rendered("android.tree", {"alert": {"text": "Saved", "type": "alert"}})


def test_apps_that_are_none_are_named() -> None:
    with pytest.raises(NotFoundError, match="survey, thermostat"):
        fake_app("calculator")
